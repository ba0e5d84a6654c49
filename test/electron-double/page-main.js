// Runs in the page's main world: builds what `contextBridge.exposeInMainWorld` exposes. It talks with the isolated world
// through synchronous DOM events of a random name; functions travel as ids, promises as a later message.
(() => {
  const EVENT = '__EVENT__';
  const functions = new Map();
  const promises = new Map();
  let sequence = 0;
  let returned;

  const isPlain = (value) => value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
  const send = (detail) => document.dispatchEvent(new CustomEvent(`${EVENT}to-isolated`, { detail }));

  /** The page's own functions as ids, so that the isolated world can call back. */
  const wrap = (value) => {
    if (typeof value === 'function') {
      sequence += 1;
      functions.set(sequence, value);
      return { $function: sequence };
    }
    if (Array.isArray(value)) return value.map(wrap);
    return isPlain(value) ? mapValues(value, wrap) : value;
  };

  const build = (value) => {
    if (!Array.isArray(value) && !isPlain(value)) return value;
    if ('$function' in value) {
      return (...args) => {
        returned = undefined;
        send({ call: value.$function, args: structuredClone(wrap(args)) });
        const answer = returned;
        returned = undefined;
        if (answer?.error !== undefined) throw new Error(answer.error);
        return answer === undefined ? undefined : build(answer.value);
      };
    }
    if ('$promise' in value) return new Promise((resolve, reject) => promises.set(value.$promise, { resolve, reject }));
    return Object.freeze(Array.isArray(value) ? value.map(build) : mapValues(value, build));
  };

  document.addEventListener(`${EVENT}to-main`, ({ detail }) => {
    if (detail.expose !== undefined) {
      const value = build(detail.shape);
      Object.defineProperty(window, detail.expose, { value, writable: false, configurable: false, enumerable: true });
    } else if (detail.returned !== undefined) {
      returned = detail.returned;
    } else if (detail.settle !== undefined) {
      const promise = promises.get(detail.settle);
      promises.delete(detail.settle);
      if (detail.ok) promise.resolve(build(detail.value));
      else promise.reject(Object.assign(new Error(detail.message), { name: detail.name }));
    } else if (detail.callback !== undefined) {
      functions.get(detail.callback)?.(...detail.args.map(build));
    }
  });
})();
