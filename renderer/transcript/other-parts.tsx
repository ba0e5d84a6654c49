import { Image } from 'lucide-react';
import { useState } from 'react';
import type { Message, MessageBody, Part } from '../../shared/model.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/words.ts';

/** Pictures that are drawn; others, SVG among them, are named only. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function Picture({ part }: { part: Extract<Part, { kind: 'image' }> }) {
  const [shown, setShown] = useState(false);
  const { mediaType, data } = part;
  if (data === null || !DRAWN.has(mediaType) || !/^[A-Za-z0-9+/=\s]+$/.test(data)) {
    return <p className="part-note muted">An image ({mediaType}) that is not shown here.</p>;
  }
  if (!shown) {
    return (
      <Button icon={<Image />} onClick={() => setShown(true)}>
        Show the image ({mediaType.slice(6)})
      </Button>
    );
  }
  return <img className="part-image" alt="Attached to the message" src={`data:${mediaType};base64,${data}`} />;
}

/** Images and records of a message that have no other place. Images are drawn after a click. */
export function OtherParts({ message, body }: { message: Message; body: MessageBody | null }) {
  if (body === null) return <p className="part-note muted">{count(message.images, 'image')}</p>;
  const rest = body.parts.filter((part) => part.kind === 'image' || part.kind === 'raw');
  if (rest.length === 0) return null;
  return (
    <div className="parts">
      {rest.map((part, at) =>
        part.kind === 'image' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change their order
          <Picture key={at} part={part} />
        ) : part.kind === 'raw' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change their order
          <details key={at} className="part-raw">
            <summary>{part.type}</summary>
            <pre className="tool-text">{part.json.slice(0, 20_000)}</pre>
          </details>
        ) : null,
      )}
    </div>
  );
}
