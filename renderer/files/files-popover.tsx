import { Popover } from '@base-ui/react/popover';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useChanges } from '../store/changes-store.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/words.ts';
import { FileList } from './file-list.tsx';
import './files-popover.css';

/** The list of files on a button in the head of the diff, where the window has no room for its own column. */
export function FilesPopover() {
  const total = useChanges((state) => state.files.length);
  const [open, setOpen] = useState(false);
  if (total === 0) return null;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        render={
          <Button variant="plain" className="files-button" icon={<ChevronDown />}>
            {count(total, 'file')}
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner className="files-popover-place" sideOffset={4} align="start">
          <Popover.Popup
            className="files-popover"
            aria-label="Files"
            onClick={(event) => {
              if (event.target instanceof Element && event.target.closest('.file-row') !== null) setOpen(false);
            }}
          >
            <FileList />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
