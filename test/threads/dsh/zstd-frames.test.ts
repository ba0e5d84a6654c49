import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { framesOf } from '../../../electron/threads/dsh/zstd-frames.ts';

/** One frame by hand (RFC 8878): its block stored raw, or as one byte over and over. */
function frame(content: Buffer, o: { single?: boolean; sizeFlag?: number; dictionaryFlag?: number; repeated?: boolean } = {}): Buffer {
  const { single = false, sizeFlag = 0, dictionaryFlag = 0, repeated = false } = o;
  const descriptor = (sizeFlag << 6) | (single ? 0x20 : 0) | dictionaryFlag;
  const size = Buffer.alloc(sizeFlag === 0 ? (single ? 1 : 0) : 2 ** sizeFlag);
  // The field of two bytes counts from 256.
  if (size.length > 0) size.writeUIntLE(content.length - (sizeFlag === 1 ? 256 : 0), 0, Math.min(size.length, 6));
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | (repeated ? 2 : 0) | 1, 0, 3);
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor]),
    Buffer.alloc(single ? 0 : 1),
    Buffer.alloc([0, 1, 2, 4][dictionaryFlag] ?? 0),
    size,
    block,
    repeated ? content.subarray(0, 1) : content,
  ]);
}

function skippable(length: number, kind = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + kind, 0);
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, Buffer.alloc(length, 0x28)]);
}

const read = (file: Buffer): [number, string | null][] =>
  [...framesOf(file)].map(({ end, content }) => [end, content === null ? null : content.toString()]);

describe('frames', () => {
  const long = Buffer.from('0123456789'.repeat(30));
  const forms = [true, false].flatMap((single) =>
    [0, 1, 2, 3].flatMap((sizeFlag) => [0, 1, 2, 3].map((dictionaryFlag) => ({ single, sizeFlag, dictionaryFlag }))),
  );
  test.each(forms)('%j: its length is told by its header alone', (form) => {
    const content = form.sizeFlag === 1 || !form.single ? long : Buffer.from('abc');
    const one = frame(content, form);
    expect(read(Buffer.concat([one, frame(Buffer.from('x'))]))).toEqual([
      [one.length, content.toString()],
      [one.length + frame(Buffer.from('x')).length, 'x'],
    ]);
  });

  test('a block of one byte over and over, several blocks and a checksum', () => {
    const repeated = frame(Buffer.alloc(300, 0x61), { repeated: true });
    const large = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251));
    const packed = zstdCompressSync(large, { params: {} });
    const frames = [...framesOf(Buffer.concat([repeated, packed]))];
    expect(frames.map((one) => one.content?.length)).toEqual([300, 300_000]);
    expect(frames[1]?.content?.equals(large)).toBe(true);
  });

  test('that can be skipped hold nothing, whatever stands in them', () => {
    const file = Buffer.concat([skippable(0), frame(Buffer.from('a')), skippable(9, 15)]);
    expect(read(file)).toEqual([
      [8, null],
      [8 + frame(Buffer.from('a')).length, 'a'],
      [file.length, null],
    ]);
  });

  test('cut off anywhere, those before the cut are whole and the last is left out', () => {
    const parts = [frame(Buffer.from('abc'), { single: true }), skippable(5), frame(long, { sizeFlag: 1 }), zstdCompressSync(long)];
    const file = Buffer.concat(parts);
    const ends = parts.map((_, at) => parts.slice(0, at + 1).reduce((sum, one) => sum + one.length, 0));
    for (let cut = 0; cut <= file.length; cut += 1) {
      const whole = ends.filter((end) => end <= cut);
      expect([cut, read(file.subarray(0, cut)).map(([end]) => end)]).toEqual([cut, whole]);
    }
  });

  test('from a place on; none that starts there is told with the place', () => {
    const file = Buffer.concat([frame(Buffer.from('a')), frame(Buffer.from('b'))]);
    expect([...framesOf(file, file.length / 2)].map((one) => one.content?.toString())).toEqual(['b']);
    expect(() => [...framesOf(file, 1)]).toThrow('no Zstandard frame at byte 1');
    const reserved = Buffer.from(file);
    reserved.writeUInt8((reserved.readUInt8(6) & 0xf9) | 6, 6);
    expect(() => read(reserved)).toThrow('reserved Zstandard block at byte 6');
  });
});

describe('a log of frames', () => {
  const header = Buffer.from('{"type":"session","version":3,"id":"s","createdAt":1,"delegationDepth":0}\n');
  const line = (seq: number) => Buffer.from(`{"type":"turn/start","seq":${seq},"time":1,"data":{"turn":1}}\n`);

  test('passes over frames that can be skipped and those that are empty', () => {
    const file = Buffer.concat([frame(header), skippable(3), frame(Buffer.alloc(0)), frame(line(0))]);
    expect(readLog(file, true)).toMatchObject({ events: [{ seq: 0, line: 2 }], tornBytes: 0, stopped: null });
  });

  test('that goes on as something else is read up to there', () => {
    const file = Buffer.concat([frame(header), frame(line(0)), Buffer.from('{"type":"turn/end"}\n')]);
    const at = frame(header).length + frame(line(0)).length;
    expect(readLog(file, true)).toMatchObject({ events: [{ seq: 0 }], stopped: { line: 3, why: `no Zstandard frame at byte ${at}` } });
    expect(readLog(Buffer.alloc(0), true)).toBeNull();
  });
});
