// What crosses between main and page, as text: structured clone first, so that what cannot be cloned fails as it does in
// Electron, then tagged JSON. Used by Node as a module and by the page as source text.

const TAG = '\u0000t';

function toBase64(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

function encode(value) {
  if (value === undefined) return { [TAG]: 'undefined' };
  if (typeof value === 'bigint') return { [TAG]: 'bigint', value: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { [TAG]: 'number', value: String(value) };
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return { [TAG]: 'date', value: value.getTime() };
  if (value instanceof ArrayBuffer) return { [TAG]: 'buffer', value: toBase64(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { [TAG]: 'array', type: value.constructor.name, value: toBase64(bytes) };
  }
  if (value instanceof Map) return { [TAG]: 'map', value: [...value].map(([key, item]) => [encode(key), encode(item)]) };
  if (value instanceof Set) return { [TAG]: 'set', value: [...value].map(encode) };
  if (value instanceof Error) return { [TAG]: 'error', name: value.name, message: value.message };
  return Array.isArray(value) ? value.map(encode) : mapValues(value, encode);
}

function decode(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(decode);
  switch (value[TAG]) {
    case 'undefined':
      return undefined;
    case 'bigint':
      return BigInt(value.value);
    case 'number':
      return Number(value.value);
    case 'date':
      return new Date(value.value);
    case 'buffer':
      return fromBase64(value.value).buffer;
    case 'array': {
      const bytes = fromBase64(value.value);
      return value.type === 'Uint8Array' || value.type === 'Buffer' ? bytes : new globalThis[value.type](bytes.buffer);
    }
    case 'map':
      return new Map(value.value.map(([key, item]) => [decode(key), decode(item)]));
    case 'set':
      return new Set(value.value.map(decode));
    case 'error':
      return Object.assign(new Error(value.message), { name: value.name });
    default:
      return mapValues(value, decode);
  }
}

export const codec = {
  /** Throws a DataCloneError for a function, as `ipcRenderer.invoke` does. */
  pack: (value) => JSON.stringify(encode(structuredClone(value))),
  unpack: (text) => decode(JSON.parse(text)),
};
