import { Component, type ErrorInfo, type ReactNode } from 'react';
import { reason } from '../../shared/errors.ts';
import { PaneError } from './pane-error.tsx';

interface State {
  failed: Error | null;
}

/** Keeps a fault inside its pane, says what happened and offers to draw it again. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(thrown: unknown): State {
    return { failed: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return <PaneError reason={reason('INTERNAL', { cause: failed.message })} onRetry={() => this.setState({ failed: null })} />;
  }
}
