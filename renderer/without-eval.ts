import { config } from 'zod';

// The page may not make code from text, and its policy reports even the question whether it may. Before any schema is made.
config({ jitless: true });
