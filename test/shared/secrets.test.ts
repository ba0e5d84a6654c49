import { describe, expect, test } from 'vitest';
import { findSecrets, isSecretFile, maskSecrets } from '../../shared/secrets.ts';

const kinds = (text: string): string[] => findSecrets(text).map(({ kind }) => kind);
/** Put together here, so that no secret scanner takes this file for a leak. */
const join = (...parts: string[]): string => parts.join('');
const R36 = 'q7Xz2LmN8vBc4KdJ5hGf6RtYw9PaSe3UiO1k';

describe('known shapes are found', () => {
  test.each([
    ['AWS key', join('AK', 'IAQ7XZ2LMN8VBC4KDJ')],
    ['GitHub token', join('gh', 'p_', R36)],
    ['GitHub token', join('github', '_pat_', R36)],
    ['GitLab token', join('gl', 'pat-', R36.slice(0, 20))],
    ['Anthropic key', join('sk-', 'ant-api03-', R36)],
    ['API key', join('sk-', 'proj-', R36)],
    ['Slack token', join('xo', 'xb-2345678901-', R36.slice(0, 24))],
    ['Slack webhook', join('https://hooks.slack', '.com/services/T0Q7XZ2LM/B8VBC4KDJ/', R36.slice(0, 24))],
    ['Google key', join('AI', 'za', R36.slice(0, 35))],
    ['Stripe key', join('sk_', 'live_', R36.slice(0, 24))],
    ['npm token', join('npm', '_', R36)],
    ['SendGrid key', join('S', 'G.', R36.slice(0, 22), '.', R36, 'abcdefg'.slice(0, 7))],
    ['Hugging Face token', join('h', 'f_', R36.slice(0, 34))],
    ['JSON web token', join('ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiI0MiJ9xx.', R36)],
    ['private key', join('-----BEGIN RSA PRIV', 'ATE KEY-----')],
    ['private key', join('-----BEGIN PRIV', 'ATE KEY-----')],
    ['password in an address', 'postgres://app:q7Xz2LmN@db.internal/shop'],
    ['authorization header', `Authorization: Bearer ${R36}`],
    ['secret value', `STRIPE_SECRET_KEY=${R36}`],
    ['secret value', `export DB_PASSWORD="tr0ub4dor&3"`],
    ['secret value', '+API_KEY=7f3c9a1e5b8d2f60'],
  ])('%s', (kind, text) => {
    expect(kinds(`before ${text.startsWith('+') || text.startsWith('export') ? `\n${text}` : text} after`)).toEqual([kind]);
  });
});

test.each([
  `AWS_ACCESS_KEY_ID=${join('AK', 'IAIOSFODNN7EXAMPLE')}`,
  'API_KEY=your-api-key-here',
  'API_KEY=<your key>',
  ['TOKEN=$', '{GITHUB_TOKEN}'].join(''),
  'const TOKEN = process.env.GITHUB_TOKEN;',
  'PASSWORD = os.environ["PASSWORD"]',
  'postgres://user:password@localhost/db',
  'https://example.com:8080/a@b',
  'PRIMARY_KEY=id',
  'MAX_TOKENS=4096',
  'const API_KEY = loadKey();',
  'sk-circle-fade-dot-and-some-more-css-classes-here',
  'TOKEN=xxxxxxxxxxxxxxxxxxxx',
  'SECRET=changeme',
  'tokenize(secretKey, password)',
  'DB_PASSWORD=',
  'eyJ is how a token begins',
])('no secret: %s', (text) => expect(kinds(text)).toEqual([]));

test('a mask names the kind and leaves the rest as it is, a private key goes whole', () => {
  const key = join('-----BEGIN PRIV', 'ATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ==\n-----END PRIV', 'ATE KEY-----');
  expect(maskSecrets(`a\nTOKEN=${R36} # b\n${key}\nc`)).toEqual({ text: 'a\nTOKEN=[secret value] # b\n[private key]\nc', count: 2 });
  expect(maskSecrets('curl postgres://app:q7Xz2LmN@db/x').text).toBe('curl postgres://app:[password in an address]@db/x');
  expect(maskSecrets('plain')).toEqual({ text: 'plain', count: 0 });
});

test('a mask leaves what follows a private key that was cut off, and covers another secret within a whole one', () => {
  const begin = join('-----BEGIN PRIV', 'ATE KEY-----');
  const end = join('-----END PRIV', 'ATE KEY-----');
  expect(maskSecrets(`${begin}\nMIIB`)).toEqual({ text: '[private key]\nMIIB', count: 1 });
  const within = join('AK', 'IAQ7XZ2LMN8VBC4KDJ');
  expect(maskSecrets(`${begin}\nMIIB\n${within}\n${end}\nrest`)).toEqual({ text: '[private key]\nrest', count: 2 });
});

test('a word or a short number is no secret value, a long number is', () => {
  expect([kinds('TOKEN=currentUser'), kinds('TOKEN=86420975'), kinds('TOKEN=8642097531')]).toEqual([[], [], ['secret value']]);
});

test('time grows with the text alone, however it is made', () => {
  const hostile = [
    'a://',
    ':'.repeat(200_000),
    'A_'.repeat(100_000),
    'KEY_'.repeat(50_000),
    'eyJ'.repeat(70_000),
    'sk-'.repeat(70_000),
    '-----BEGIN '.repeat(20_000),
    'authorization: bearer '.repeat(10_000),
  ];
  for (const text of hostile) expect(maskSecrets(text).text.length).toBeGreaterThan(0);
});

test('files of secrets by name', () => {
  expect(['.env', 'a/.env', 'a/.env.local', '.env.production'].map(isSecretFile)).toEqual([true, true, true, true]);
  expect(['.env.example', '.envrc', 'env', '.env.sample', 'a/.environment', '.env/x'].map(isSecretFile)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});
