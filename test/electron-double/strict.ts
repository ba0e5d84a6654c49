/** Names that JavaScript and test runners ask any object for; their absence is an answer. */
const ASKED_OF_ANY = new Set([
  'then',
  'toJSON',
  'default',
  '__esModule',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'inspect',
  '@@__IMMUTABLE_ITERABLE__@@',
  '@@__IMMUTABLE_RECORD__@@',
]);

/** The object, throwing on any member it does not have: a test must not pass because something was silently undefined. */
export function strict<T extends object>(object: T, name: string): T {
  return new Proxy(object, {
    get(target, key) {
      if (key in target || typeof key === 'symbol' || ASKED_OF_ANY.has(key)) {
        const value: unknown = Reflect.get(target, key);
        // Methods of a class keep their own `this`: private members are not reached through a proxy.
        return typeof value === 'function' && !Object.hasOwn(target, key) ? value.bind(target) : value;
      }
      throw new Error(`electron double: ${name}.${key} is not implemented`);
    },
  });
}
