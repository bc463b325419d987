/** `value.name` and `value[key]` as Jinja's sandbox resolves them: the two differ in what they try first. */
import { bind, intArgument, required } from './arguments.ts';
import { asMarkup, methodArguments } from './markup.ts';
import { repr } from './printing.ts';
import { textMethod } from './text_methods.ts';
import {
  dictKey,
  equal,
  hasSurrogates,
  isList,
  PyDict,
  PyFunction,
  PyMarkup,
  PyObject,
  PyRange,
  PyTuple,
  PyView,
  TemplateError,
  textOf,
  typeName,
  Undefined,
  type DictKey,
  type Value,
} from './values.ts';

/** Methods that change their object; transformers' sandbox refuses to call them. */
const MUTATING: Readonly<Record<'list' | 'dict', ReadonlySet<string>>> = {
  list: new Set(['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort']),
  dict: new Set(['clear', 'pop', 'popitem', 'setdefault', 'update']),
};

function refused(type: string, name: string): PyFunction {
  return new PyFunction(name, () => {
    throw new TemplateError(`access to attribute '${name}' of '${type}' object is unsafe.`);
  });
}

/** An entry of a dict, undefined where Python would raise. */
function entryOf(map: ReadonlyMap<DictKey, Value>, key: Value): Value | undefined {
  return key !== null && typeof key === 'object' && !(key instanceof PyMarkup) ? undefined : map.get(dictKey(key));
}

function dictMethod(dict: PyDict, name: string): PyFunction | undefined {
  const { map } = dict;
  const make = (body: PyFunction['call']): PyFunction => new PyFunction(name, body);
  switch (name) {
    case 'get':
      return make((args, kwargs) => {
        const [key, fallback = null] = bind('get', ['key', 'default'], args, kwargs);
        const item = map.get(dictKey(required('get', 'key', key)));
        return item === undefined ? fallback : item;
      });
    case 'keys':
      return make(() => new PyView([...map.keys()], 'dict_keys'));
    case 'values':
      return make(() => new PyView([...map.values()], 'dict_values'));
    case 'items':
      return make(
        () =>
          new PyView(
            [...map].map((entry) => new PyTuple(entry)),
            'dict_items',
          ),
      );
    case 'copy':
      return make(() => new PyDict(new Map(map)));
    default:
      return MUTATING.dict.has(name) ? refused('dict', name) : undefined;
  }
}

function listMethod(items: readonly Value[], type: 'list' | 'tuple', name: string): PyFunction | undefined {
  switch (name) {
    case 'index':
      return new PyFunction(name, (args, kwargs) => {
        const [value, start] = bind('index', ['value', 'start'], args, kwargs);
        const at = items.findIndex(
          (item, i) => i >= intArgument('index', start, 0) && equal(item, required('index', 'value', value)),
        );
        if (at < 0) throw new TemplateError(`${repr(value ?? null)} is not in ${type}`);
        return at;
      });
    case 'count':
      return new PyFunction(name, (args, kwargs) => {
        const [value] = bind('count', ['value'], args, kwargs);
        return items.filter((item) => equal(item, required('count', 'value', value))).length;
      });
    case 'copy':
      return type === 'list' ? new PyFunction(name, () => [...items]) : undefined;
    default:
      return type === 'list' && MUTATING.list.has(name) ? refused('list', name) : undefined;
  }
}

/** Python's getattr(): methods and attributes, undefined where there is none. */
export function attributeOf(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') {
    const method = textMethod(name);
    return method && new PyFunction(name, (args, kwargs, budget) => method(value, args, kwargs, budget));
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (value instanceof PyMarkup) {
    const method = textMethod(name);
    return (
      method &&
      new PyFunction(name, (args, kwargs, budget) =>
        asMarkup(method(value.text, methodArguments(name, args), kwargs, budget)),
      )
    );
  }
  if (isList(value)) return listMethod(value, 'list', name);
  if (value instanceof PyTuple) return listMethod(value.items, 'tuple', name);
  if (value instanceof PyDict) return dictMethod(value, name);
  if (value instanceof PyObject) return value.attributes.get(name);
  return undefined;
}

/** Python's obj[key]; undefined where it raises. */
function subscript(value: Value, key: Value): Value | undefined {
  if (value instanceof PyDict) return entryOf(value.map, key);
  if (typeof key !== 'number' && typeof key !== 'boolean') return undefined;
  const at = Number(key);
  const text = textOf(value);
  if (text !== null) return hasSurrogates(text) ? Array.from(text).at(at) : text.at(at);
  if (value !== null && typeof value === 'object') {
    if (isList(value)) return value.at(at);
    if (value instanceof PyTuple || value instanceof PyRange) return value.items.at(at);
  }
  return undefined;
}

function missing(value: Value, key: Value): Undefined {
  const type = value === null ? 'None' : `${typeName(value)} object`;
  return new Undefined(
    typeof key === 'string' ? `'${type}' has no attribute '${key}'` : `${type} has no element ${repr(key)}`,
  );
}

function refuseUndefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateError(value.message);
}

/** `value.name`: the attribute first, so that a dict's methods hide keys of the same name. */
export function getAttribute(value: Value, name: string): Value {
  refuseUndefined(value);
  const attribute = attributeOf(value, name);
  if (attribute !== undefined) return attribute;
  const item = subscript(value, name);
  return item === undefined ? missing(value, name) : item;
}

/** `value[key]`: the item first. */
export function itemOf(value: Value, key: Value): Value {
  refuseUndefined(value);
  const item = subscript(value, key);
  if (item !== undefined) return item;
  const attribute = typeof key === 'string' ? attributeOf(value, key) : undefined;
  return attribute === undefined ? missing(value, key) : attribute;
}
