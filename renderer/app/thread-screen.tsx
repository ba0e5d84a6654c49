import { Group, Panel, Separator } from 'react-resizable-panels';
import { DiffPane } from '../diff/diff-pane.tsx';
import { FilesPane } from '../files/files-pane.tsx';
import { StepsPane } from '../steps/steps-pane.tsx';
import { useApp } from '../store/app-store.ts';
import { useSession } from '../store/session-store.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Transcript } from '../transcript/transcript.tsx';
import { StandingBar } from '../travel/standing-bar.tsx';
import { TakenBack } from '../travel/taken-back.tsx';
import { titleOfThread } from '../ui/names.ts';
import { Split } from '../ui/split.tsx';
import { Later } from './later.tsx';
import { PaneTabs } from './pane-tabs.tsx';
import { ReadingBar } from './reading-bar.tsx';
import { ThreadLoading } from './thread-loading.tsx';
import { ThreadNotices } from './thread-notices.tsx';
import { useLayout } from './use-layout.ts';

const PANES = { transcript: <Transcript />, steps: <StepsPane />, files: <FilesPane />, diff: <DiffPane /> } as const;

const MIDDLE = (
  <Split
    id="middle"
    direction="vertical"
    separators={['Resize steps and files']}
    parts={[
      { id: 'steps', size: 46, least: 110, content: <Later order={2}>{PANES.steps}</Later> },
      { id: 'files', size: 54, least: 110, content: <Later order={3}>{PANES.files}</Later> },
    ]}
  />
);

/** Three columns at 1000 px and more; steps and files share the left one below that, and the diff's head has the list too; one pane below 720. */
function Columns() {
  const layout = useLayout();
  if (layout === 'one') return <PaneTabs panes={PANES} names={['transcript', 'steps', 'files', 'diff']} />;
  if (layout === 'two') {
    return (
      <Split
        id="two"
        direction="horizontal"
        separators={['Resize the diff']}
        parts={[
          { id: 'left', size: 46, least: 260, content: <PaneTabs panes={PANES} names={['transcript', 'steps', 'files']} /> },
          { id: 'diff', size: 54, least: 280, content: PANES.diff },
        ]}
      />
    );
  }
  return (
    <Split
      id="three"
      direction="horizontal"
      separators={['Resize transcript', 'Resize diff']}
      parts={[
        { id: 'transcript', size: 36, least: 280, content: <Later order={1}>{PANES.transcript}</Later> },
        { id: 'middle', size: 22, least: 200, content: MIDDLE },
        { id: 'diff', size: 42, least: 300, content: <Later order={4}>{PANES.diff}</Later> },
      ]}
    />
  );
}

/** The timeline above the columns, 84 px at first; its height keeps when the window grows. */
function TimelineAndColumns() {
  const open = useApp((state) => state.timelineOpen);
  const columns = (
    <div className="thread-below">
      <ReadingBar />
      <ThreadNotices />
      <div className="thread-columns">
        <Columns />
      </div>
      <TakenBack />
      <StandingBar />
    </div>
  );
  if (!open) {
    return (
      <>
        <Timeline />
        {columns}
      </>
    );
  }
  return (
    <Group className="split thread-rows" orientation="vertical">
      <Panel
        id="timeline"
        defaultSize="85px"
        minSize="64px"
        maxSize="240px"
        groupResizeBehavior="preserve-pixel-size"
        style={{ overflow: 'hidden' }}
      >
        <Timeline />
      </Panel>
      <Separator className="separator" data-direction="vertical" aria-label="Resize the timeline" />
      <Panel id="columns" className="split-part" style={{ overflow: 'hidden' }}>
        {columns}
      </Panel>
    </Group>
  );
}

/** One open thread: timeline, columns, and the bar of a standing revert. */
export function ThreadScreen() {
  const title = useSession((state) => (state.view === null ? null : titleOfThread(state.view.head)));
  if (title === null) return <ThreadLoading />;
  return (
    <main className="thread">
      <h1 className="sr">{title}</h1>
      <TimelineAndColumns />
    </main>
  );
}
