/** The place of the history-panel. */
export function HistoryPanel() {
  return null;
}
