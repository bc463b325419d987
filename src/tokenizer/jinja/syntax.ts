/**
 * From a template's source to its tree, with @huggingface/jinja's lexer and parser. Their gap that published templates
 * meet, tests with arguments (`x is divisibleby(2)`), is closed between the two: it becomes a filter named
 * "is divisibleby", which the interpreter knows.
 */
import { parse, tokenize } from '@huggingface/jinja';
import type { Node } from './ast.ts';
import { TemplateError } from './values.ts';

/** Published templates are below 32 KiB. */
const MAX_SOURCE_LENGTH = 1024 * 1024;
/** The lexer looks for a tag at each character of a run of white space, which is quadratic in its length. */
const LONG_SPACE = /\s{1025}/;

type Token = ReturnType<typeof tokenize>[number];

/** @throws TemplateError with one sentence about the syntax error */
export function parseTemplate(source: string): Node {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new TemplateError(`The chat template is longer than ${MAX_SOURCE_LENGTH} characters.`);
  }
  const text = source.replace(/\r\n?/g, '\n');
  if (LONG_SPACE.test(text)) throw new TemplateError('The chat template has more than 1024 blank characters in a row.');
  try {
    const tokens = tokenize(text, { lstrip_blocks: true, trim_blocks: true });
    // The parser's classes are the tree of ast.ts; the library does not export their types.
    return parse(testsToFilters(tokens)) as unknown as Node;
  } catch (error) {
    throw new TemplateError(`The chat template has a syntax error: ${reasonOf(error)}.`);
  }
}

function reasonOf(error: unknown): string {
  // The parser runs off the end of its tokens (TypeError) or of the stack.
  if (error instanceof RangeError) return 'it is nested too deeply';
  if (error instanceof TypeError) return 'it ends in the middle of a block or expression';
  return (error instanceof Error ? error.message : String(error)).replace(/^Parser Error: /, '').replace(/\.$/, '');
}

/** Names that go on with the expression after a test; anything else that can start a value is the test's argument. */
const NOT_AN_ARGUMENT: ReadonlySet<string> = new Set(['and', 'or', 'else', 'if', 'is', 'in', 'not']);
const OPENERS: ReadonlySet<string> = new Set(['OpenParen', 'OpenSquareBracket', 'OpenCurlyBracket']);
const CLOSERS: ReadonlySet<string> = new Set(['CloseParen', 'CloseSquareBracket', 'CloseCurlyBracket']);

/** Tests inside the arguments of tests. */
const MAX_TEST_DEPTH = 16;

function testsToFilters(tokens: readonly Token[], depth = 0): Token[] {
  if (depth > MAX_TEST_DEPTH) throw new RangeError();
  const out: Token[] = [];
  const isName = (at: number, name?: string): boolean =>
    tokens[at]?.type === 'Identifier' && (name === undefined || tokens[at].value === name);
  for (let at = 0; at < tokens.length; at++) {
    const previous = tokens[at - 1]?.type;
    const opensTest = isName(at, 'is') && previous !== 'Dot' && previous !== 'Pipe';
    const negated = opensTest && isName(at + 1, 'not') && isName(at + 2);
    const nameAt = at + (negated ? 2 : 1);
    const argumentAt = nameAt + 1;
    if (!opensTest || !isName(nameAt) || !startsArgument(tokens[argumentAt])) {
      out.push(tokens[at]);
      continue;
    }
    const end = endOfValue(tokens, argumentAt);
    const filter = `is ${negated ? 'not ' : ''}${tokens[nameAt].value}`;
    out.push({ value: '|', type: 'Pipe' }, { value: filter, type: 'Identifier' });
    const argument = testsToFilters(tokens.slice(argumentAt, end), depth + 1);
    if (tokens[argumentAt].type === 'OpenParen') out.push(...argument);
    else out.push({ value: '(', type: 'OpenParen' }, ...argument, { value: ')', type: 'CloseParen' });
    at = end - 1;
  }
  return out;
}

function startsArgument(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.type === 'Identifier') return !NOT_AN_ARGUMENT.has(token.value);
  return token.type === 'StringLiteral' || token.type === 'NumericLiteral' || OPENERS.has(token.type);
}

/** Index after the value that starts at `at`: a literal, name or bracket with what is chained to it. */
function endOfValue(tokens: readonly Token[], at: number): number {
  const parenthesised = tokens[at].type === 'OpenParen';
  let end = OPENERS.has(tokens[at].type) ? closing(tokens, at) + 1 : at + 1;
  while (!parenthesised && end < tokens.length) {
    const { type } = tokens[end];
    if (type === 'Dot') end += 2;
    else if (type === 'OpenSquareBracket' || type === 'OpenParen') end = closing(tokens, end) + 1;
    else break;
  }
  return Math.min(end, tokens.length);
}

function closing(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let i = at; i < tokens.length; i++) {
    if (OPENERS.has(tokens[i].type)) depth++;
    else if (CLOSERS.has(tokens[i].type) && --depth === 0) return i;
  }
  return tokens.length - 1;
}
