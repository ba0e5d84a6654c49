import { memo } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { openLink } from '../store/patch.ts';
import './markdown.css';

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** No image, no embedded content, no form: only text and its structure. */
const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['img', 'picture', 'source', 'input'].includes(name)),
  protocols: { href: ['http', 'https'] },
};

const components: Components = {
  a({ href, children }) {
    if (href === undefined || !isWeb(href)) return <span className="markdown-dead-link">{children}</span>;
    return (
      <button type="button" className="markdown-link" title={href} onClick={() => void openLink(href)}>
        {children}
      </button>
    );
  },
  img: ({ alt }) => <span className="muted">[image{alt ? `: ${alt}` : ''}]</span>,
};

/** The text of a message as markdown. It is hostile text: no raw HTML, no image, and a link leaves only after a click. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown skipHtml remarkPlugins={[remarkGfm]} rehypePlugins={[[rehypeSanitize, schema]]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
