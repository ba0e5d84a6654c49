export const codec: {
  pack(value: unknown): string;
  unpack(text: string): unknown;
};
