/** JSON of a source outside: an object that names a member twice is no answer. */
import { expect, test } from 'vitest'
import { readJsonAnswer } from '../../../server/connectors/service/json-answer.ts'
import { parseJson } from '../../../server/connectors/service/limited-body.ts'

const bytes = (text: string) => Buffer.from(text)

test.each([
  '{"match": "NO_MATCH", "match": "MATCH"}',
  '{"match": "MATCH", "match": "MATCH"}',
  String.raw`{"match": 1, "m\u0061tch": 2}`,
  '[{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}]',
  '{"__proto__": 1, "__proto__": 2}',
  '{"1": 1, "1": 2}',
  '{"": 1, "": 2}',
])('a member that is named twice makes JSON unreadable: %s', (text) => {
  expect(parseJson(bytes(text))).toBeUndefined()
  const outcome = { kind: 'answered', status: 200, bytes: bytes(text) } as const
  expect(readJsonAnswer(outcome as never)).toEqual({ kind: 'json', json: undefined })
})

test.each([
  '{"a": {"c": 1}, "b": {"c": 1}}',
  String.raw`{"a:": ":\":", "b\\": [":", "\\", {"a:": null}]}`,
  '{"__proto__": 1, "constructor": 2}',
  '":"',
  '[]',
  '7',
])('other JSON is read as it is: %s', (text) => {
  expect(parseJson(bytes(text))).toEqual(JSON.parse(text))
})

test('deep and large JSON is read in linear time', () => {
  const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`
  const large = `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}": 1`).join()}}`
  const startedAt = performance.now()
  expect(parseJson(bytes(deep))).toBeDefined()
  expect(parseJson(bytes(large))).toBeDefined()
  expect(parseJson(bytes(large.replace('"k1":', '"k2":')))).toBeUndefined()
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
