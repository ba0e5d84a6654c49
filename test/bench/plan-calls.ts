import type { Page } from 'playwright-core';

/** Counts the calls of a page that ask for a plan, on their way between it and its host. */
export class PlanCalls {
  #open = new Set<number>();
  /** The most that were on their way at once, and how many were made. */
  most = 0;
  made = 0;

  /** To be made before the page connects. */
  constructor(page: Page) {
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        const { id, call } = JSON.parse(String(payload)) as { id: number; call: string };
        if (call !== 'travel.preview') return;
        this.#open.add(id);
        this.made += 1;
        this.most = Math.max(this.most, this.#open.size);
      });
      socket.on('framereceived', ({ payload }) => {
        const id = /^\{"id":(\d+)/.exec(String(payload).slice(0, 40))?.[1];
        if (id !== undefined) this.#open.delete(Number(id));
      });
    });
  }
}
