// Runs in the isolated world of the main frame: `require('electron')` as a sandboxed preload has it, then the real preload
// bundle. `codec` stands before it in the same text.
(() => {
  // The preload of a window does not run in frames inside its page.
  if (window.top !== window) return;
  const EVENT = '__EVENT__';
  const bind = globalThis.__electronDoubleSend;
  const functions = new Map();
  const waiting = new Map();
  const listeners = new Map();
  let sequence = 0;

  const isPlain = (value) => value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
  const send = (detail) => document.dispatchEvent(new CustomEvent(`${EVENT}to-main`, { detail }));

  const unwrap = (value) => {
    if (Array.isArray(value)) return value.map(unwrap);
    if (!isPlain(value)) return value;
    if ('$function' in value) return (...args) => send({ callback: value.$function, args: structuredClone(args) });
    return mapValues(value, unwrap);
  };

  /** A value as it crosses the bridge: functions and promises by id, plain objects by value, class instances cloned. */
  const shape = (value) => {
    if (typeof value === 'function') {
      sequence += 1;
      functions.set(sequence, value);
      return { $function: sequence };
    }
    if (typeof value?.then === 'function') {
      sequence += 1;
      const id = sequence;
      const fail = (error) => send({ settle: id, ok: false, name: error?.name ?? 'Error', message: String(error?.message ?? error) });
      value.then((result) => send({ settle: id, ok: true, value: shape(result) })).catch(fail);
      return { $promise: id };
    }
    if (Array.isArray(value)) return value.map(shape);
    return isPlain(value) ? mapValues(value, shape) : structuredClone(value);
  };

  document.addEventListener(`${EVENT}to-isolated`, ({ detail }) => {
    let answer;
    try {
      answer = { value: shape(functions.get(detail.call)(...detail.args.map(unwrap))) };
    } catch (error) {
      answer = { error: error.message };
    }
    send({ returned: answer });
  });

  /** Called from the other side: the answer of an invoke, or a push. */
  globalThis.__electronDoubleDeliver = (text) => {
    const message = codec.unpack(text);
    if (message.push !== undefined) {
      for (const listener of [...(listeners.get(message.push) ?? [])]) listener({ sender: ipcRenderer }, ...message.args);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.ok) call.resolve(message.value);
    else call.reject(new Error(message.error));
  };

  const ipcRenderer = {
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        sequence += 1;
        const id = sequence;
        let text;
        try {
          text = codec.pack({ kind: 'invoke', id, channel, args });
        } catch {
          reject(new Error('An object could not be cloned.'));
          return;
        }
        waiting.set(id, { resolve, reject });
        bind(text);
      }),
    send: (channel, ...args) => bind(codec.pack({ kind: 'send', channel, args })),
    on(channel, listener) {
      if (!listeners.has(channel)) listeners.set(channel, new Set());
      listeners.get(channel).add(listener);
      return ipcRenderer;
    },
    removeListener(channel, listener) {
      listeners.get(channel)?.delete(listener);
      return ipcRenderer;
    },
  };

  const electron = {
    ipcRenderer,
    contextBridge: { exposeInMainWorld: (key, api) => send({ expose: key, shape: shape(api) }) },
    webUtils: { getPathForFile: (file) => `/double/${file.name}` },
  };
  const process = { platform: 'linux', versions: { electron: '0.0.0-double' }, contextIsolated: true, sandboxed: true, env: {} };
  const require = (name) => {
    if (name === 'electron' || name === 'electron/renderer') return electron;
    throw new Error(`module not found: ${name}`);
  };
  ((require, module, exports, process) => {
    // A preload need not use them all.
    void [require, module, exports, process];
    __PRELOAD__;
  })(require, { exports: {} }, {}, process);
})();
