/** A secret in a text: what kind, and where it stands. */
export interface Secret {
  kind: string;
  start: number;
  end: number;
}

interface Shape {
  kind: string;
  /** One of these stands in every text that the shape can match, in lower case: the cheap look before the dear one. */
  hints: readonly string[];
  /** Global and sticky to nothing; the secret itself is group `s`, or the whole match. Every repetition is bounded. */
  pattern: RegExp;
  /** Is the value known to be made up when it looks like a word? Shapes that no made-up value has say no. */
  loose?: true;
}

const WORD = '[A-Za-z0-9_-]';

/** Known shapes of secrets, the most telling first. */
const SHAPES: readonly Shape[] = [
  { kind: 'private key', hints: ['private key'], pattern: /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g },
  { kind: 'AWS key', hints: ['akia', 'asia', 'abia', 'acca'], pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  { kind: 'GitHub token', hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g },
  { kind: 'GitHub token', hints: ['github_pat_'], pattern: /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g },
  { kind: 'GitLab token', hints: ['glpat-', 'gldt-', 'glrt-'], pattern: /\bgl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,255}/g },
  { kind: 'Anthropic key', hints: ['sk-ant-'], pattern: new RegExp(`\\bsk-ant-${WORD}{20,255}`, 'g') },
  {
    kind: 'API key',
    hints: ['sk-'],
    pattern: /\bsk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z0-9_-]{0,200}\d)(?=[A-Za-z_-]{0,200}[A-Za-z])[A-Za-z0-9_-]{32,255}/g,
  },
  { kind: 'Slack token', hints: ['xox'], pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  {
    kind: 'Slack webhook',
    hints: ['hooks.slack.com'],
    pattern: /hooks\.slack\.com\/services\/[A-Z0-9]{6,20}\/[A-Z0-9]{6,20}\/[A-Za-z0-9]{16,40}/g,
  },
  { kind: 'Google key', hints: ['aiza'], pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: 'Google secret', hints: ['gocspx-'], pattern: /\bGOCSPX-[A-Za-z0-9_-]{20,64}/g },
  { kind: 'Stripe key', hints: ['k_live_', 'k_test_'], pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}\b/g },
  { kind: 'npm token', hints: ['npm_'], pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { kind: 'PyPI token', hints: ['pypi-age'], pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,500}/g },
  { kind: 'SendGrid key', hints: ['sg.'], pattern: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b/g },
  { kind: 'Hugging Face token', hints: ['hf_'], pattern: /\bhf_[A-Za-z0-9]{34}\b/g },
  { kind: 'JSON web token', hints: ['eyj'], pattern: /\beyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{16,1000}/g },
  {
    kind: 'password in an address',
    hints: ['://'],
    pattern: /\b[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s/:@'"<>]{0,100}:(?<s>[^\s/@'"<>]{3,200})@[^\s/]/g,
    loose: true,
  },
  {
    kind: 'authorization header',
    hints: ['authorization'],
    pattern: /\bauthorization["']?\s{0,4}[:=]\s{0,4}["'`]?(?:bearer|basic|token)\s{1,4}(?<s>[A-Za-z0-9+/=._~-]{16,4000})/gi,
    loose: true,
  },
  {
    kind: 'secret value',
    hints: ['key', 'token', 'secret', 'passw', 'pwd', 'credential'],
    pattern:
      /(?<![A-Za-z0-9_$.])(?:[A-Z][A-Z0-9]{0,30}_){0,6}(?:API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|AUTH_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|CREDENTIALS?|KEY)(?:_[A-Z0-9]{1,30}){0,4}[ \t]{0,4}=[ \t]{0,4}(?<s>"[^"\n]{6,500}"|'[^'\n]{6,500}'|[^\s"'`#;,(){}[\]<>$]{6,500})(?=[\s#;,]|$)/gm,
    loose: true,
  },
];

const MADE_UP =
  /example|placeholder|change.?me|your[_-]|\byour|dummy|fake|sample|xxxx|\*{3}|\.{3}|redacted|<[^>]*>|\$\{|\{\{|process\.env|os\.environ|getenv|^(?:password|passwd|pass|secret|token|test|testing|null|none|undefined|true|false|string|user|postgres|root|admin|guest|localhost)\d{0,4}$/i;

/** Is the value plainly no secret: a stand-in, an expression, one sign over and over, or a row of digits and letters? */
function madeUp(value: string, loose: boolean): boolean {
  const bare = value.replace(/^["']|["']$/g, '');
  if (MADE_UP.test(bare) || /^(.{1,3})\1+$/.test(bare) || /0123456789|abcdefgh|1234567890/i.test(bare)) return true;
  if (!loose) return false;
  // Words of code: a name, a path of names, a number.
  return (/^[a-z]+(?:[A-Z._/-][a-z]+)*$/.test(bare) && bare.length < 20) || /^\d{1,9}$/.test(bare);
}

/** Finds secrets in a text by their known shapes, in the order in which they stand, none within another. Time grows with the text alone. */
export function findSecrets(text: string): Secret[] {
  const low = text.toLowerCase();
  const found: Secret[] = [];
  for (const { kind, hints, pattern, loose } of SHAPES) {
    if (!hints.some((hint) => low.includes(hint))) continue;
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.['s'] ?? match[0];
      if (madeUp(value, loose ?? false)) continue;
      const start = match.index + match[0].lastIndexOf(value);
      const end = start + value.length;
      if (!found.some((one) => start < one.end && end > one.start)) found.push({ kind, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The rest of a private key after its first line: its base64 and its last line, as far as they are there. */
const KEY_BODY = /^(?:[^\S\n]*\n)?(?:[ +\-\t]{0,8}[A-Za-z0-9+/=:, -]{0,200}\r?\n){0,400}?[ +\-\t]{0,8}-----END [A-Z0-9 ]{1,40}-----/;

/** The text with every secret replaced by its kind, and how many there were. */
export function maskSecrets(text: string): { text: string; count: number } {
  const found = findSecrets(text);
  let masked = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    if (start < at) continue;
    const body = kind === 'private key' ? (KEY_BODY.exec(text.slice(end, end + 40_000))?.[0].length ?? 0) : 0;
    masked += `${text.slice(at, start)}[${kind}]`;
    at = end + body;
  }
  return { text: masked + text.slice(at), count: found.length };
}

/** Is a file by its name one that holds secrets: `.env`, `.env.local` and the like, but no example of one? */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^\.env(?:\..+)?$/.test(name) && !/\.(?:example|sample|template|dist|defaults?|schema|test)$/.test(name);
}
