import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import { CALL_CHANNEL, EVENT_CHANNEL } from './host/channels.ts';

/**
 * All that the page gets of Electron: the two functions of a transport, and the path of a file that the user dropped.
 * Calls and events are checked on the other side, against the contract.
 */
contextBridge.exposeInMainWorld('turnback', {
  invoke: (call: string, input: unknown): Promise<unknown> => ipcRenderer.invoke(CALL_CHANNEL, call, input),
  subscribe: (listener: (event: string, payload: unknown) => void): (() => void) => {
    const relay = (_: IpcRendererEvent, event: string, payload: unknown): void => listener(event, payload);
    ipcRenderer.on(EVENT_CHANNEL, relay);
    // Braces on purpose: what a bridged function returns is handed to the page, and that must never be ipcRenderer.
    return () => {
      ipcRenderer.removeListener(EVENT_CHANNEL, relay);
    };
  },
  pathOf: (file: File): string => webUtils.getPathForFile(file),
});
