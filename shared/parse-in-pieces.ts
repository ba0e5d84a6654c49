import { z } from 'zod';

/** Elements of a list that are checked at once; about ten milliseconds of a slow machine. */
const PIECE = 400;

export type Parsed = { ok: true; value: unknown } | { ok: false; why: string };

const whyOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 1)
    .map(({ message }) => message)
    .join();

/**
 * Checks a value against a schema and lets others work meanwhile: lists of many elements that lie directly in it are
 * checked some at a time with a pause between. Gives what `safeParse` gives. `pause` resolves when others had their turn.
 */
export async function parseInPieces(schema: z.ZodType, value: unknown, pause: () => Promise<void>): Promise<Parsed> {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return parseAtOnce(schema, value);
  const given = value as Readonly<Record<string, unknown>>;
  const lists = new Map<string, unknown[]>();
  for (const [key, field] of Object.entries(schema.shape)) {
    const list = given[key];
    if (!(field instanceof z.ZodArray) || !Array.isArray(list) || list.length <= PIECE) continue;
    const element = field.element as z.ZodType;
    const checked: unknown[] = [];
    for (let at = 0; at < list.length; at += PIECE) {
      const piece = z.array(element).safeParse(list.slice(at, at + PIECE));
      if (!piece.success) return { ok: false, why: whyOf(piece.error) };
      for (const one of piece.data) checked.push(one);
      await pause();
    }
    lists.set(key, checked);
  }
  if (lists.size === 0) return parseAtOnce(schema, value);
  const rest = parseAtOnce(schema, { ...given, ...Object.fromEntries([...lists.keys()].map((key) => [key, []])) });
  return rest.ok ? { ok: true, value: { ...(rest.value as object), ...Object.fromEntries(lists) } } : rest;
}

/** The whole of it in one go. */
export function parseAtOnce(schema: z.ZodType, value: unknown): Parsed {
  const parsed = schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, why: whyOf(parsed.error) };
}
