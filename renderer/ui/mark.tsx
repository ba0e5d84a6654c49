/** The mark of the product: a line of time, a cursor on it, and the way back. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg
      className="mark"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      aria-hidden="true"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d="M3 16.5h18" stroke="var(--accent)" strokeWidth="2" opacity=".45" />
      <path d="M3 16.5h7.5" stroke="var(--accent)" strokeWidth="2" />
      <path d="M10.5 4.5v15.5" stroke="var(--time)" strokeWidth="2" />
      <path d="M20.5 8.5h-6m0 0 2.6-2.6m-2.6 2.6 2.6 2.6" stroke="var(--time)" strokeWidth="1.8" />
    </svg>
  );
}
