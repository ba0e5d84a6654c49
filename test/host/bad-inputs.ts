import { z } from 'zod';

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  minLength?: number;
}

const takesNull = (schema: Schema): boolean => schema.type === 'null' || (schema.anyOf ?? []).some(takesNull);

/** A value that the schema takes, as small as it gets. `hints` fills fields by their name. */
function valid(schema: Schema, hints: Readonly<Record<string, unknown>>): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return valid(first, hints);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [
          name,
          name in hints && (hints[name] !== null || takesNull(inner)) ? hints[name] : valid(inner, hints),
        ]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => valid(schema.items ?? {}, hints));
    case 'string':
      return 'x'.repeat(schema.minLength ?? 1);
    case 'number':
    case 'integer':
      return schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1;
    case 'boolean':
      return false;
    default:
      return null;
  }
}

type Place = readonly (string | number)[];

/** Every place in a value that something else may stand at, the whole included. */
function places(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...at, name]))];
}

function put(value: unknown, [first, ...rest]: Place, other: unknown): unknown {
  if (first === undefined) return other;
  const copy: Record<string | number, unknown> = { ...(value as Record<string, unknown>) };
  copy[first] = put(copy[first], rest, other);
  return copy;
}

const nested = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
};

const own = (key: string): unknown => Object.defineProperty({}, key, { value: { polluted: true }, enumerable: true });

/** What a page may put anywhere: wrong types, paths instead of ids, prototype keys, halves of characters, what only structured clone carries. */
export const ODD: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  10n,
  '',
  ' ',
  'x'.repeat(300_000),
  '\0',
  '../../../../etc/passwd',
  '/etc/passwd',
  'C:\\Windows\\System32',
  '\\\\server\\share',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '--upload-pack=touch /tmp/x',
  '__proto__',
  'constructor',
  '\ud800',
  '\u001b]0;title\u0007',
  '<script>alert(1)</script>',
  [],
  [[]],
  ['x', null],
  {},
  { kind: 'step' },
  own('__proto__'),
  own('constructor'),
  nested(5000),
  new Date(Number.NaN),
  new Map([['a', 1]]),
  new Uint8Array(3),
];

/** Inputs of a call made from its schema: one good one, and every one that differs from it in one place. */
export function inputsOf(schema: z.ZodType, hints: Readonly<Record<string, unknown>> = {}): { good: unknown; others: unknown[] } {
  const json = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  const variants = [json, ...branches(json)].map((one) => valid(one, hints));
  const [good] = variants;
  const extra = { extra: 1, ['__proto__x']: 2, toString: 'x' };
  const others = variants.flatMap((one) => [
    ...places(one).flatMap((place) => ODD.map((odd) => put(one, place, odd))),
    ...places(one).flatMap((place) => (place.length === 0 ? [] : [without(one, place)])),
    typeof one === 'object' ? { ...one, ...extra } : extra,
  ]);
  return { good, others };
}

/** The other forms of fields that have several. */
function branches(schema: Schema): Schema[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    (inner.anyOf ?? inner.oneOf ?? []).slice(1).map((one) => ({ ...schema, properties: { ...schema.properties, [name]: one } })),
  );
}

function without(value: unknown, [first, ...rest]: Place): unknown {
  const copy: Record<string | number, unknown> = { ...(value as Record<string, unknown>) };
  if (first === undefined) return copy;
  if (rest.length === 0) delete copy[first];
  else copy[first] = without(copy[first], rest);
  return copy;
}
