import type { Excerpt } from './excerpt.ts';

export type CompareQuestion = { kind: 'compare'; before: string | null; after: string | null } | { kind: 'page'; page: number };

export type CompareAnswer =
  | { kind: 'compared'; changed: number; hunks: number; pages: number }
  | { kind: 'page'; page: number; excerpt: Excerpt };
