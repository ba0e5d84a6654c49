import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ObjectFormat, objectId } from '../../electron/snapshots/object-id.ts';
import { PackFile } from '../../electron/snapshots/pack-file.ts';
import { packIndex } from '../../electron/snapshots/pack-index.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

describe('the index of a pack', () => {
  it.each(['sha1', 'sha256'] as const)('is read by git (%s), also with offsets beyond four bytes', async (format) => {
    const lab = await makeLab({ format });
    const packed = [5, 0x7fffffff, 0x80000000, 0x1_0000_0000, 0x12_3456_789a].map((offset, k) => ({
      oid: createHash(format).update(`object ${k}`).digest('hex'),
      crc: 0xdead0000 + k,
      offset,
    }));
    const bytes = packIndex(packed, createHash(format).update('pack').digest(), format);
    const shown = lab.plain([`--git-dir=${lab.foreign}`, 'show-index', `--object-format=${format}`], { input: bytes }).toString();
    const expected = packed
      .toSorted((a, b) => (a.oid < b.oid ? -1 : 1))
      .map(({ oid, crc, offset }) => `${offset} ${oid} (${crc.toString(16).padStart(8, '0')})\n`);
    expect(shown).toBe(expected.join(''));
  });
});

describe('a pack', () => {
  async function packed(
    format: ObjectFormat,
    contents: readonly Uint8Array[],
    large: readonly Uint8Array[] = [],
  ): Promise<{ objects: string; read(oid: string): Buffer; verify(): void }> {
    const lab = await makeLab({ format });
    const objects = path.join(lab.foreign, 'objects');
    const pack = new PackFile(objects, format);
    await Promise.all(contents.map((content) => pack.add('blob', objectId('blob', content, format), content)));
    for (const content of large)
      await pack.addLarge(objectId('blob', content, format), content.length, async function* () {
        for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000);
      });
    await pack.finish();
    return {
      objects,
      read: (oid) => lab.plain([`--git-dir=${lab.foreign}`, 'cat-file', 'blob', oid]),
      verify: () => void lab.plain([`--git-dir=${lab.foreign}`, 'fsck', '--full', '--strict']),
    };
  }

  it.each(['sha1', 'sha256'] as const)('gives back what was put in (%s)', async (format) => {
    const sizes = [0, 1, 15, 16, 17, 127, 128, 2047, 2048, 65_536, 300_000];
    const contents = sizes.map((size) => Buffer.alloc(size, `${size} `));
    const large = [Buffer.alloc(5_000_000, 'large '), Buffer.alloc(100_001, 'x')];
    const { read, verify, objects } = await packed(format, contents, large);
    for (const content of [...contents, ...large]) expect(read(objectId('blob', content, format)).equals(content)).toBe(true);
    verify();
    expect((await readdir(path.join(objects, 'pack'))).every((name) => /^pack-[0-9a-f]+\.(pack|idx)$/.test(name))).toBe(true);
  });

  it('holds any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.uint8Array({ maxLength: 300 }), {
          minLength: 1,
          maxLength: 20,
          selector: (bytes) => Buffer.from(bytes).toString('hex'),
        }),
        async (contents) => {
          const { read } = await packed('sha1', contents);
          for (const content of contents) expect(read(objectId('blob', content, 'sha1')).equals(Buffer.from(content))).toBe(true);
        },
      ),
      { numRuns: 5 },
    );
  });

  it('that spills to the disk on its way is the same', async () => {
    const contents = Array.from({ length: 12 }, (_, k) =>
      Buffer.from(Array.from({ length: 1_000_000 }, (_x, n) => (n * (k + 7) * 2654435761) >>> 24)),
    );
    const { read, verify } = await packed('sha1', contents);
    for (const content of contents) expect(read(objectId('blob', content, 'sha1')).equals(content)).toBe(true);
    verify();
  });

  it('that grows beyond what is gathered is the same, and one that somebody cut off on its way is never seen', async () => {
    const contents = Array.from({ length: 6 }, () => randomBytes(1_000_000));
    const { read, verify } = await packed('sha1', contents);
    for (const content of contents) expect(read(objectId('blob', content, 'sha1')).equals(content)).toBe(true);
    verify();
    const folder = await tempFolder();
    const pack = new PackFile(folder, 'sha1');
    for (const content of contents) await pack.add('blob', objectId('blob', content, 'sha1'), content);
    const [temporary = ''] = await readdir(path.join(folder, 'pack'));
    await truncate(path.join(folder, 'pack', temporary), 1000);
    await expect(pack.finish()).rejects.toThrow('ended early');
    await pack.abandon();
    expect(await readdir(path.join(folder, 'pack'))).toEqual([]);
  });

  it('keeps nothing of a large object that failed', async () => {
    const lab = await makeLab();
    const objects = path.join(lab.foreign, 'objects');
    const pack = new PackFile(objects, 'sha1');
    const good = Buffer.from('good');
    const failing = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(500_000, 'bad');
      throw new Error('the file changed');
    };
    await expect(pack.addLarge('1'.repeat(40), 1_000_000, failing)).rejects.toThrow('the file changed');
    await pack.add('blob', objectId('blob', good, 'sha1'), good);
    await pack.finish();
    lab.plain([`--git-dir=${lab.foreign}`, 'fsck', '--full', '--strict']);
    expect(lab.plain([`--git-dir=${lab.foreign}`, 'cat-file', 'blob', objectId('blob', good, 'sha1')]).toString()).toBe('good');
    const [name] = (await readdir(path.join(objects, 'pack'))).filter((file) => file.endsWith('.pack'));
    expect((await readFile(path.join(objects, 'pack', name ?? ''))).length).toBeLessThan(100);
  });

  it('that is dropped leaves no file', async () => {
    const lab = await makeLab();
    const objects = path.join(lab.foreign, 'objects');
    await mkdir(path.join(objects, 'pack'), { recursive: true });
    const pack = new PackFile(objects, 'sha1');
    await pack.addLarge(objectId('blob', Buffer.alloc(9), 'sha1'), 9, async function* () {
      yield Buffer.alloc(9);
    });
    await pack.abandon();
    expect(await readdir(path.join(objects, 'pack'))).toEqual([]);
  });
});
