import { Counts } from '../ui/counts.tsx';

export interface FileCountsProps {
  file: { added: number | null; removed: number | null; binary: boolean };
}

/** Lines of one file; nothing where no line changed, as for a mode. */
export function FileCounts({ file: { added, removed, binary } }: FileCountsProps) {
  if (!binary && added === 0 && removed === 0) return null;
  return <Counts added={added} removed={removed} binary={binary} />;
}
