"""Renders templates with Python's Jinja2 set up as transformers sets it up (utils/chat_template_utils.py).

    python3 tools/vectors/render_chat_vectors.py      (needs jinja2 3.1)

Fills in the results of test/vectors/chat-templates/expressions.json (short templates on one context) and makes
conversations.json.gz: every template of templates.json.gz with every conversation of conversations.json.
"""
import datetime
import gzip
import json
import pathlib

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'test/vectors/chat-templates'


class GenerationTag(Extension):
    tags = {'generation'}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(['name:endgeneration'], drop_needle=True)
        return nodes.CallBlock(self.call_method('_body'), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols])
    env.filters['tojson'] = tojson
    env.globals['raise_exception'] = raise_exception
    now = datetime.datetime(2026, 11, 30, 12, 0, 0)
    env.globals['strftime_now'] = now.strftime
    return env


def render(env, template, context):
    try:
        return {'ok': env.from_string(template).render(**context)}
    except RecursionError:
        return {'error': 'RecursionError'}
    except Exception as error:  # every refusal is a result
        return {'error': f'{type(error).__name__}: {error}'}


def main():
    env = environment()
    path = FOLDER / 'expressions.json'
    expressions = json.loads(path.read_text())
    for case in expressions['cases']:
        template = case['template']
        case.clear()
        case.update({'template': template, **render(env, template, expressions['context'])})
    path.write_text(json.dumps(expressions, ensure_ascii=False, indent=1) + '\n')

    templates = json.loads(gzip.decompress((FOLDER / 'templates.json.gz').read_bytes()))
    conversations = json.loads((FOLDER / 'conversations.json').read_text())
    results = [
        {'name': entry['name'], 'case': name, **render(env, entry['template'], context)}
        for entry in templates for name, context in conversations.items()]
    packed = gzip.compress(json.dumps(results, ensure_ascii=False).encode(), 9, mtime=0)
    (FOLDER / 'conversations.json.gz').write_bytes(packed)
    print(len(expressions['cases']), 'expressions,', len(results), 'conversations', len(packed), 'bytes')


if __name__ == '__main__':
    main()
