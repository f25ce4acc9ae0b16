import { at, field, unless } from '../kit.ts'
import { readMultipart } from '../multipart.ts'
import { additionalFile, anyObject } from '../spec.ts'
import { both, listOf, object, oneOf, text } from '../shapes.ts'
import { PICTURES, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const METADATA = [{ key: 'KIND', value: 'letter' }]

export const additionalFiles: Chapter = async (kit) => {
  const add = 'POST /v1/identities/{id}/additional-files'
  const list = 'GET /v1/identities/{id}/additional-files'
  const read = 'GET /v1/identities/{id}/additional-files/{fileId}'
  const drop = 'DELETE /v1/identities/{id}/additional-files/{fileId}'
  const id = await newIdentity(kit)
  const params = { id }
  const form = { File: PICTURES.pdf, Metadata: JSON.stringify(METADATA) }
  await kit.call(list, 'none yet', { params }, { status: 200, shape: listOf(additionalFile) })
  const added = await kit.must(
    add,
    'a file with metadata',
    { params, form },
    { status: 200, shape: both(anyObject, object({ id: text })) },
  )
  kit.claim(add, 'says that it is kept', object({ status: oneOf('STORED') })(added.json, 'answer'), {
    ours: true,
  })
  const fileId = field(added, 'id')
  await kit.call(add, 'no file', { params, form: { Metadata: '[]' } }, { status: 400 })
  await kit.call(
    add,
    'metadata that is none',
    { params, form: { ...form, Metadata: '{"key"' } },
    { status: 400 },
  )
  const listed = await kit.call(
    list,
    'the file',
    { params },
    { status: 200, shape: listOf(additionalFile, 1) },
  )
  kit.claim(
    list,
    'with its metadata',
    unless(
      JSON.stringify(at(listed.json, 0, 'metadata')) === JSON.stringify(METADATA),
      'other metadata came',
    ),
  )

  const shown = await kit.call(read, 'the file', { params: { id, fileId } }, { status: 200 })
  const parts = readMultipart(shown.headers.get('content-type') ?? '', shown.bytes)
  const file = parts?.find(({ name }) => name === 'File')
  const metadata = parts?.find(({ name }) => name === 'Metadata')
  kit.claim(
    read,
    'a form with the parts File and Metadata',
    unless(Boolean(file && metadata), 'a part is missing'),
  )
  kit.claim(
    read,
    'is what was sent',
    unless(file?.bytes.byteLength === PICTURES.pdf.size, 'another file came'),
  )

  await kit.call(drop, 'the file', { params: { id, fileId } }, { status: 204 })
  await kit.call(read, 'a deleted file', { params: { id, fileId } }, { status: 404 })
  await kit.call(drop, 'a deleted file', { params: { id, fileId } }, { status: 404 })
}
