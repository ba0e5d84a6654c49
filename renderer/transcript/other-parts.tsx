import { Image } from 'lucide-react';
import { useState } from 'react';
import type { Message, MessageBody, Part } from '../../shared/model.ts';
import { Button } from '../ui/button.tsx';
import { count, showBytes } from '../ui/words.ts';

/** Pictures that are drawn; others, SVG among them, are named only. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Characters of base64 that are drawn; a larger picture would hold the window up. */
const MOST = 12_000_000;

/** Why a picture is not drawn; null when it can be. */
function whyNot(mediaType: string, data: string | null): string | null {
  if (data === null) return 'the log does not hold it';
  if (!DRAWN.has(mediaType)) return 'this kind is not drawn here';
  if (data.length > MOST) return 'too large to draw';
  return /^[A-Za-z0-9+/=\s]+$/.test(data) ? null : 'its data cannot be read';
}

function Picture({ part, name }: { part: Extract<Part, { kind: 'image' }>; name: string }) {
  const [shown, setShown] = useState(false);
  const { mediaType, data } = part;
  const size = data === null ? '' : `, ${showBytes(Math.floor(data.length * 0.75))}`;
  const words = `${name}: ${mediaType.replace(/^image\//, '').toUpperCase()}${size}`;
  const why = whyNot(mediaType, data);
  if (why !== null) {
    return (
      <p className="part-note muted">
        {words} ({why})
      </p>
    );
  }
  return (
    <figure className="part-figure">
      <Button variant="plain" icon={<Image />} aria-expanded={shown} onClick={() => setShown(!shown)}>
        {shown ? 'Hide' : 'Show'} {words}
      </Button>
      {shown ? <img className="part-image" alt={`${name} of the message`} src={`data:${mediaType};base64,${data}`} /> : null}
    </figure>
  );
}

/** Images and records of a message that have no other place. Images are drawn after a click. */
export function OtherParts({ message, body }: { message: Message; body: MessageBody | null }) {
  if (body === null) return <p className="part-note muted">{count(message.images, 'image')}</p>;
  const rest = body.parts.filter((part) => part.kind === 'image' || part.kind === 'raw');
  const images = rest.filter((part) => part.kind === 'image');
  const nameOf = (part: Extract<Part, { kind: 'image' }>): string =>
    images.length === 1 ? 'Image' : `Image ${images.indexOf(part) + 1} of ${images.length}`;
  if (rest.length === 0) return null;
  return (
    <div className="parts">
      {rest.map((part, at) =>
        part.kind === 'image' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change their order
          <Picture key={at} part={part} name={nameOf(part)} />
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
