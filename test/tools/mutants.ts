import { createHash } from 'node:crypto';
import { parseSync } from 'vite';

/** One small damage to a source file: the text from `start` to `end` becomes `text`. */
export interface Mutant {
  /** Names it over runs, as long as the code around it stays. */
  id: string;
  file: string;
  line: number;
  start: number;
  end: number;
  was: string;
  text: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

type Cut = { start: number; end: number; text: string };

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

/** Methods whose meaning another one turns around. */
const METHODS: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  find: 'findLast',
  findLast: 'find',
  min: 'max',
  max: 'min',
};

/** Kinds of nodes that hold no behaviour of their own: types, and what names modules. */
const PASSED = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'PropertyKey']);
const THROUGH = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;

const child = (node: Node, name: string): Node | null => {
  const value = node[name];
  return isNode(value) ? value : null;
};

/** Where the operator stands between the two sides, whatever white space and comments are there. */
function operatorAt(code: string, node: Node, operator: string): Cut | null {
  const [left, right] = [child(node, 'left'), child(node, 'right')];
  if (left === null || right === null) return null;
  const at = code.indexOf(operator, left.end);
  return at < 0 || at >= right.start ? null : { start: at, end: at + operator.length, text: '' };
}

function ofTest(node: Node): Cut[] {
  const test = child(node, 'test');
  if (test === null) return [];
  return ['true', 'false'].map((text) => ({ start: test.start, end: test.end, text }));
}

function ofOperator(code: string, node: Node): Cut[] {
  const operator = String(node['operator']);
  const cut = operatorAt(code, node, operator);
  if (cut === null) return [];
  if (operator === '??') {
    // A nullish default that is never taken.
    return [{ start: cut.start, end: node.end, text: '' }];
  }
  const text = SWAPPED[operator];
  return text === undefined ? [] : [{ ...cut, text }];
}

function ofLiteral(node: Node): Cut[] {
  const { start, end, value } = node as Node & { value: unknown };
  if (typeof value === 'boolean') return [{ start, end, text: String(!value) }];
  if (typeof value === 'number') return [{ start, end, text: String(value + 1) }];
  if (typeof value === 'string') return [{ start, end, text: value === '' ? "'changed'" : "''" }];
  return [];
}

function ofStatement(node: Node): Cut[] {
  const argument = child(node, 'argument');
  if (node.type === 'ReturnStatement') {
    if (argument === null || argument.type === 'Literal') return [];
    return [{ start: argument.start, end: argument.end, text: argument.type === 'ArrayExpression' ? '[]' : 'null' }];
  }
  return [{ start: node.start, end: node.end, text: ';' }];
}

function ofCall(node: Node): Cut[] {
  const callee = child(node, 'callee');
  const property = callee?.type === 'MemberExpression' ? child(callee, 'property') : null;
  const object = callee && child(callee, 'object');
  const name = String(property?.['name']);
  if (!property || !object) return [];
  const text = METHODS[name];
  if (text !== undefined) return [{ start: property.start, end: property.end, text }];
  // What is filtered or sorted stays as it is.
  if (name === 'filter' || name === 'sort' || name === 'reverse' || name === 'slice')
    return [{ start: object.end, end: node.end, text: '' }];
  return [];
}

function cutsOf(code: string, node: Node): Cut[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return ofTest(node);
    case 'WhileStatement':
      return ofTest(node).filter((cut) => cut.text === 'false');
    case 'LogicalExpression':
    case 'BinaryExpression':
      return ofOperator(code, node);
    case 'UnaryExpression': {
      const argument = child(node, 'argument');
      return node['operator'] === '!' && argument ? [{ start: node.start, end: argument.start, text: '' }] : [];
    }
    case 'Literal':
      return ofLiteral(node);
    case 'TemplateLiteral':
      return [{ start: node.start, end: node.end, text: '``' }];
    case 'ArrayExpression':
      return Array.isArray(node['elements']) && node['elements'].length > 0 ? [{ start: node.start, end: node.end, text: '[]' }] : [];
    case 'ExpressionStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
    case 'ReturnStatement':
      return ofStatement(node);
    case 'CallExpression':
      return ofCall(node);
    default:
      return [];
  }
}

/** Every mutant of a file, in the order of its code; the same code gives the same ids. */
export function mutantsOf(file: string, code: string): Mutant[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const cuts: Cut[] = [];
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) open.push(...node);
    if (!isNode(node) || PASSED.has(node.type) || (node.type.startsWith('TS') && !THROUGH.has(node.type))) continue;
    cuts.push(...cutsOf(code, node));
    for (const [name, value] of Object.entries(node)) {
      // A key that is a string, and the module of an export, are names.
      if (name === 'source' || (name === 'key' && node['computed'] !== true)) continue;
      if (Array.isArray(value) || isNode(value)) open.push(value);
    }
  }
  const seen = new Map<string, number>();
  return cuts
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((cut) => {
      const was = code.slice(cut.start, cut.end);
      const around = code.slice(Math.max(0, cut.start - 60), cut.end + 60);
      const key = createHash('sha256').update(`${file}\0${around}\0${was}\0${cut.text}`).digest('hex').slice(0, 12);
      const again = seen.get(key) ?? 0;
      seen.set(key, again + 1);
      return { ...cut, id: again === 0 ? key : `${key}-${again}`, file, line: code.slice(0, cut.start).split('\n').length, was };
    });
}
