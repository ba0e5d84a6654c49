import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';
import type { SaveTarget } from './host-port.ts';

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (thrown) {
    await rm(file, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
}

/** Saves exactly these bytes, whole or not at all. FILE_EXISTS when something is there and may not be replaced, else SAVE_FAILED. */
export async function saveFile(target: SaveTarget, bytes: Uint8Array): Promise<void> {
  try {
    if (!target.replace) return await writeNew(target.path, bytes);
    const temp = `${target.path}.${randomBytes(6).toString('hex')}`;
    await writeNew(temp, bytes);
    try {
      await rename(temp, target.path);
    } catch (thrown) {
      await rm(temp, { force: true });
      throw thrown;
    }
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new TurnbackError('FILE_EXISTS', { path: target.path });
    throw new TurnbackError('SAVE_FAILED', { path: target.path, cause: code ?? message }, { cause: thrown });
  }
}
