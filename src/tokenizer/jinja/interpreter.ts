/**
 * Runs a template's tree with Python's semantics. @huggingface/jinja brings an interpreter, which we do not use: it has
 * JavaScript's printing and truth in many places (str() of dicts, None and booleans; undefined in loops; generators;
 * method before key), calls macros in the caller's scope, shares one scope over all turns of a loop, and has no bounds
 * on time or memory, while a template is hostile input. Its classes for values are private, so that patching it from
 * outside would replace nearly every node anyway.
 */
import { getAttribute, itemOf } from './attributes.ts';
import { mentions, type Call, type For, type Identifier, type Node, type Parameter, type TupleLiteral } from './ast.ts';
import { Budget, MAX_OUTPUT_LENGTH } from './budget.ts';
import { applyFilter } from './filters.ts';
import { LoopState } from './loop.ts';
import { binary, sliced, unary } from './operators.ts';
import { str } from './printing.ts';
import { jinjaTest } from './tests.ts';
import {
  dictKey,
  iterate,
  PyDict,
  PyFloat,
  PyFunction,
  PyObject,
  PyTuple,
  spendOn,
  TemplateError,
  truthy,
  typeName,
  Undefined,
  type DictKey,
  type Kwargs,
  type Value,
} from './values.ts';

/** Names visible at a place: `if` and `set` share the surrounding scope, loops and macros have their own. */
class Scope {
  readonly #names = new Map<string, Value>();
  constructor(readonly parent: Scope | null = null) {}

  get(name: string): Value | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.parent) {
      const value = scope.#names.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#names.set(name, value);
  }
}

class Output {
  readonly #parts: string[] = [];
  #length = 0;

  push(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_OUTPUT_LENGTH) {
      throw new TemplateError(`the chat template makes a text of more than ${MAX_OUTPUT_LENGTH} characters`);
    }
    this.#parts.push(text);
  }

  text(): string {
    return this.#parts.join('');
  }
}

/** Thrown by `{% break %}` and `{% continue %}`, caught by the loop around them. */
class LoopControl {
  constructor(readonly kind: 'Break' | 'Continue') {}
}
const BREAK = new LoopControl('Break');
const CONTINUE = new LoopControl('Continue');

export class Interpreter {
  readonly #budget = new Budget();
  readonly #loopReaders = new Map<For, boolean>();
  readonly #filterContext = {
    budget: this.#budget,
    applyFilter: (name: string, value: Value, args: readonly Value[], kwargs: Kwargs): Value =>
      applyFilter(name, value, args, kwargs, this.#filterContext),
  };

  /** @throws TemplateError */
  render(program: Node, globals: ReadonlyMap<string, Value>, context: ReadonlyMap<string, Value>): string {
    const scope = new Scope();
    for (const names of [globals, context]) for (const [name, value] of names) scope.set(name, value);
    const output = new Output();
    this.#run([program], scope, output);
    return output.text();
  }

  #run(nodes: readonly Node[], scope: Scope, output: Output): void {
    for (const node of nodes) this.#statement(node, scope, output);
  }

  /** The text that a block makes. */
  #capture(nodes: readonly Node[], scope: Scope): string {
    const output = new Output();
    this.#run(nodes, scope, output);
    const text = output.text();
    this.#budget.spendLength(text.length);
    return text;
  }

  #statement(node: Node, scope: Scope, output: Output): void {
    this.#budget.spend(1);
    switch (node.type) {
      case 'Program':
        return this.#run(node.body, scope, output);
      case 'Comment':
        return undefined;
      case 'If':
        return this.#run(truthy(this.#value(node.test, scope)) ? node.body : node.alternate, scope, output);
      case 'For':
        return this.#loop(node, scope, output);
      case 'Break':
        throw BREAK;
      case 'Continue':
        throw CONTINUE;
      case 'Set':
        return this.#assign(
          node.assignee,
          node.value ? this.#value(node.value, scope) : this.#capture(node.body, new Scope(scope)),
          scope,
        );
      case 'Macro':
        return scope.set(node.name.value, this.#macro(node.name.value, node.args, node.body, scope));
      case 'CallStatement': {
        const caller = this.#macro('caller', node.callerArgs ?? [], node.body, scope);
        const [args, kwargs] = this.#arguments(node.call.args, scope);
        kwargs.set('caller', caller);
        return output.push(str(this.#call(this.#value(node.call.callee, scope), args, kwargs)));
      }
      case 'FilterStatement':
        return output.push(str(this.#filter(node.filter, this.#capture(node.body, new Scope(scope)), scope)));
      default:
        return output.push(str(this.#value(node, scope)));
    }
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') scope.set(target.value, value);
    else if (target.type === 'TupleLiteral') this.#unpack(target, value, scope);
    else if (target.type === 'MemberExpression' && !target.computed && target.property.type === 'Identifier') {
      const object = this.#value(target.object, scope);
      if (!(object instanceof PyObject) || object.typeName !== 'Namespace') {
        throw new TemplateError('cannot assign attribute on non-namespace object');
      }
      object.attributes.set(target.property.value, value);
    } else throw new TemplateError(`cannot assign to '${target.type}'`);
  }

  #unpack(target: TupleLiteral, value: Value, scope: Scope): void {
    const items = iterate(value);
    if (items.length < target.value.length) {
      throw new TemplateError(`not enough values to unpack (expected ${target.value.length}, got ${items.length})`);
    }
    if (items.length > target.value.length)
      throw new TemplateError(`too many values to unpack (expected ${target.value.length})`);
    for (const [i, part] of target.value.entries()) this.#assign(part, items[i], scope);
  }

  #loop(node: For, scope: Scope, output: Output): void {
    const filtered = node.iterable.type === 'SelectExpression' ? node.iterable : null;
    let items = iterate(this.#value(filtered ? filtered.lhs : node.iterable, scope));
    this.#budget.spendItems(items.length);
    if (filtered) {
      items = items.filter((item) => {
        const inner = new Scope(scope);
        this.#assign(node.loopvar, item, inner);
        return truthy(this.#value(filtered.test, inner));
      });
    }
    if (items.length === 0) return this.#run(node.defaultBlock, new Scope(scope), output);
    const loop = this.#readsLoop(node) ? new LoopState(items) : null;
    for (let index = 0; index < items.length; index++) {
      // Each turn has its own scope: what it sets is gone in the next.
      const inner = new Scope(scope);
      this.#budget.spend(loop ? 16 : 2);
      if (loop) inner.set('loop', loop.at(index));
      this.#assign(node.loopvar, items[index], inner);
      try {
        this.#run(node.body, inner, output);
      } catch (control) {
        if (!(control instanceof LoopControl)) throw control;
        if (control.kind === 'Break') return;
      }
    }
  }

  /** Whether a loop's body looks at `loop`, which is dear to make for each turn. */
  #readsLoop(node: For): boolean {
    let reads = this.#loopReaders.get(node);
    if (reads === undefined) this.#loopReaders.set(node, (reads = mentions(node.body, 'loop')));
    return reads;
  }

  /** A macro sees the names of where it is defined, not of where it is called. */
  #macro(
    name: string,
    parameters: readonly (Identifier | Parameter)[],
    body: readonly Node[],
    scope: Scope,
  ): PyFunction {
    const readsVarargs = mentions(body, 'varargs');
    const readsKwargs = mentions(body, 'kwargs');
    return new PyFunction(name, (args, kwargs) =>
      this.#budget.nested(() => {
        const inner = new Scope(scope);
        const rest = new Map(kwargs);
        const defaults: (() => void)[] = [];
        for (const [i, parameter] of parameters.entries()) {
          const key = parameter.type === 'Identifier' ? parameter.value : parameter.key.value;
          const given = i < args.length ? args[i] : rest.get(key);
          if (i >= args.length) rest.delete(key);
          inner.set(key, given ?? (given === null ? null : new Undefined(`parameter '${key}' was not provided`)));
          if (given === undefined && parameter.type !== 'Identifier') {
            defaults.push(() => inner.set(key, this.#value(parameter.value, inner)));
          }
        }
        const caller = rest.get('caller');
        rest.delete('caller');
        inner.set('caller', caller ?? new Undefined("'caller' is undefined"));
        if (readsVarargs) inner.set('varargs', new PyTuple(args.slice(parameters.length)));
        else if (args.length > parameters.length) {
          throw new TemplateError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
        }
        if (readsKwargs) inner.set('kwargs', new PyDict(rest as Map<DictKey, Value>));
        else if (rest.size > 0)
          throw new TemplateError(`macro '${name}' takes no keyword argument '${[...rest.keys()][0]}'`);
        for (const setDefault of defaults) setDefault();
        return this.#capture(body, inner);
      }),
    );
  }

  #call(callee: Value, args: readonly Value[], kwargs: Kwargs): Value {
    if (callee instanceof Undefined) throw new TemplateError(callee.message);
    if (!(callee instanceof PyFunction)) throw new TemplateError(`'${typeName(callee)}' object is not callable`);
    return callee.call(args, kwargs, this.#budget);
  }

  #arguments(nodes: readonly Node[], scope: Scope): [Value[], Map<string, Value>] {
    const args: Value[] = [];
    const kwargs = new Map<string, Value>();
    for (const node of nodes) {
      switch (node.type) {
        case 'KeywordArgumentExpression':
          kwargs.set(node.key.value, this.#value(node.value, scope));
          break;
        case 'SpreadExpression':
          args.push(...iterate(this.#value(node.argument, scope)));
          break;
        case 'KeywordSpreadExpression': {
          const spread = this.#value(node.argument, scope);
          if (!(spread instanceof PyDict))
            throw new TemplateError(`argument after ** must be a mapping, not ${typeName(spread)}`);
          for (const [key, value] of spread.map) kwargs.set(String(key), value);
          break;
        }
        default:
          args.push(this.#value(node, scope));
      }
    }
    return [args, kwargs];
  }

  #filter(filter: Identifier | Call, value: Value, scope: Scope): Value {
    const call = filter.type === 'CallExpression' ? filter : null;
    const callee = call ? call.callee : filter;
    if (callee.type !== 'Identifier') throw new TemplateError('a filter must be a name');
    const [args, kwargs] = this.#arguments(call?.args ?? [], scope);
    spendOn(value, this.#budget);
    const test = /^is (not )?(.*)$/.exec(callee.value);
    if (test) return jinjaTest(test[2], value, args) === (test[1] === undefined);
    return applyFilter(callee.value, value, args, kwargs, this.#filterContext);
  }

  #value(node: Node, scope: Scope): Value {
    this.#budget.spend(1);
    switch (node.type) {
      case 'StringLiteral':
      case 'IntegerLiteral':
        return node.value;
      case 'FloatLiteral':
        return new PyFloat(node.value);
      case 'ArrayLiteral':
        return node.value.map((item) => this.#value(item, scope));
      case 'TupleLiteral':
        return new PyTuple(node.value.map((item) => this.#value(item, scope)));
      case 'ObjectLiteral': {
        const map = new Map<DictKey, Value>();
        for (const [key, value] of node.value) map.set(dictKey(this.#value(key, scope)), this.#value(value, scope));
        return new PyDict(map);
      }
      case 'Identifier': {
        const value = scope.get(node.value);
        return value === undefined ? new Undefined(`'${node.value}' is undefined`) : value;
      }
      case 'MemberExpression': {
        const object = this.#value(node.object, scope);
        spendOn(object, this.#budget);
        const { property } = node;
        if (property.type === 'SliceExpression') {
          const bounds = [property.start, property.stop, property.step].map(
            (bound) => bound && this.#value(bound, scope),
          );
          return sliced(object, bounds, this.#budget);
        }
        if (!node.computed && property.type === 'Identifier') return getAttribute(object, property.value);
        return itemOf(object, this.#value(property, scope));
      }
      case 'CallExpression': {
        const callee = this.#value(node.callee, scope);
        const [args, kwargs] = this.#arguments(node.args, scope);
        return this.#call(callee, args, kwargs);
      }
      case 'BinaryExpression': {
        const left = this.#value(node.left, scope);
        const operator = node.operator.value;
        if (operator === 'and') return truthy(left) ? this.#value(node.right, scope) : left;
        if (operator === 'or') return truthy(left) ? left : this.#value(node.right, scope);
        const right = this.#value(node.right, scope);
        spendOn(left, this.#budget);
        spendOn(right, this.#budget);
        return binary(operator, left, right, this.#budget);
      }
      case 'UnaryExpression': {
        const value = this.#value(node.argument, scope);
        return node.operator.value === 'not' ? !truthy(value) : unary(node.operator.value, value);
      }
      case 'FilterExpression':
        return this.#filter(node.filter, this.#value(node.operand, scope), scope);
      case 'TestExpression':
        return jinjaTest(node.test.value, this.#value(node.operand, scope), []) !== node.negate;
      case 'Ternary':
        return this.#value(truthy(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      case 'SelectExpression':
        return truthy(this.#value(node.test, scope))
          ? this.#value(node.lhs, scope)
          : new Undefined('the inline if-expression evaluated to false and no else section was defined.');
      default:
        throw new TemplateError(`the chat template uses '${node.type}' where a value is needed`);
    }
  }
}
