/**
 * The tree that @huggingface/jinja's parser makes. The library exports the parser and not these types, so they are
 * described here, as far as the interpreter reads them.
 */
export interface Identifier {
  readonly type: 'Identifier';
  readonly value: string;
}
export interface Parameter {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Identifier;
  readonly value: Node;
}
export interface Call {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}
export interface TupleLiteral {
  readonly type: 'TupleLiteral';
  readonly value: readonly Node[];
}
export interface Slice {
  readonly type: 'SliceExpression';
  readonly start?: Node;
  readonly stop?: Node;
  readonly step?: Node;
}
export interface Member {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node | Slice;
  readonly computed: boolean;
}
export interface For {
  readonly type: 'For';
  readonly loopvar: Identifier | TupleLiteral;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}
export interface Macro {
  readonly type: 'Macro';
  readonly name: Identifier;
  readonly args: readonly (Identifier | Parameter)[];
  readonly body: readonly Node[];
}
export interface CallBlock {
  readonly type: 'CallStatement';
  readonly call: Call;
  readonly callerArgs: readonly (Identifier | Parameter)[] | null;
  readonly body: readonly Node[];
}

export type Node =
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | { readonly type: 'If'; readonly test: Node; readonly body: readonly Node[]; readonly alternate: readonly Node[] }
  | For
  | { readonly type: 'Break' | 'Continue' | 'Comment' }
  | { readonly type: 'Set'; readonly assignee: Node; readonly value: Node | null; readonly body: readonly Node[] }
  | Macro
  | CallBlock
  | { readonly type: 'FilterStatement'; readonly filter: Identifier | Call; readonly body: readonly Node[] }
  | Member
  | Call
  | Identifier
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral'; readonly value: readonly Node[] }
  | TupleLiteral
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | {
      readonly type: 'BinaryExpression';
      readonly operator: { readonly value: string };
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: Identifier | Call }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | { readonly type: 'TestExpression'; readonly operand: Node; readonly negate: boolean; readonly test: Identifier }
  | { readonly type: 'UnaryExpression'; readonly operator: { readonly value: string }; readonly argument: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node }
  | Parameter;

/** Whether `name` is read anywhere in these nodes. */
export function mentions(nodes: unknown, name: string): boolean {
  if (nodes instanceof Map) return [...nodes].some(([key, value]) => mentions(key, name) || mentions(value, name));
  if (Array.isArray(nodes)) return nodes.some((node) => mentions(node, name));
  if (typeof nodes !== 'object' || nodes === null) return false;
  const node = nodes as { readonly type?: string; readonly value?: unknown };
  if (node.type === 'Identifier' && node.value === name) return true;
  return Object.values(nodes).some((child) => mentions(child, name));
}
