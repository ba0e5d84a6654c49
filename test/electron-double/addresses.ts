const DOMAIN = '.electron-double.test';

/** The privileged schemes, and how their addresses look in a browser that does not know them: `app://ui/x` is `https://ui.app…/x`. */
export class Addresses {
  readonly schemes = new Set<string>();

  /** The address as the app knows it. */
  real(shown: string): string {
    if (!URL.canParse(shown)) return shown;
    const url = new URL(shown);
    if (url.protocol !== 'https:' || !url.hostname.endsWith(DOMAIN)) return shown;
    const [host = '', scheme = ''] = url.hostname.slice(0, -DOMAIN.length).split('.');
    return `${scheme}://${host}${url.pathname}${url.search}${url.hash}`;
  }

  /** The address as Chromium is given it. */
  shown(real: string): string {
    const match = /^([a-z][\w+.-]*):\/\/([^/?#]*)(.*)$/i.exec(real);
    return match?.[1] !== undefined && this.schemes.has(match[1]) ? `https://${match[2]}.${match[1]}${DOMAIN}${match[3]}` : real;
  }
}
