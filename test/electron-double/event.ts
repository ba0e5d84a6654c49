/** An event that a listener may prevent. */
export interface Preventable {
  defaultPrevented: boolean;
  preventDefault(): void;
}

/** A fresh preventable event with more on it. */
export function preventable<T extends object>(more: T): Preventable & T {
  return {
    ...more,
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true;
    },
  };
}
