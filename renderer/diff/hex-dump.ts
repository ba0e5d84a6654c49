const PER_ROW = 16;

/** One row of a hex dump: where it starts, its bytes, and the same as text with dots for what cannot be shown. */
export interface HexRow {
  offset: string;
  bytes: string;
  text: string;
}

/** Rows for the hex digits of the first bytes of a file. */
export function hexRows(head: string, most = 4): HexRow[] {
  const pairs = head.match(/[0-9a-f]{2}/gi) ?? [];
  const rows: HexRow[] = [];
  for (let at = 0; at < pairs.length && rows.length < most; at += PER_ROW) {
    const part = pairs.slice(at, at + PER_ROW);
    rows.push({
      offset: at.toString(16).padStart(4, '0'),
      bytes: part.join(' ').padEnd(PER_ROW * 3 - 1),
      text: part.map((pair) => printable(Number.parseInt(pair, 16))).join(''),
    });
  }
  return rows;
}

const printable = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');
