/**
 * A relying service, as its author would write it: compiled and run by package.test.ts with the packed client. Prints one line of
 * JSON for the test.
 */
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  WebhookVerificationError,
  createClient,
  isProblem,
  sealProof,
  unwrap,
  verifyWebhook,
  waitForEvidence,
  waitForIdentity,
  type ProblemCode,
  type Schemas,
  type WebhookEvent,
} from 'counterproof-client'

const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, apiKey, userAgent: 'sample/1.0 (en)' })

// A receiver of webhooks
let secret = ''
let sealed = ''
const events: WebhookEvent[] = []
const refused: boolean[] = []
const receiver = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks)
    const event = verifyWebhook(secret, req.headers, body)
    // The type of the event tells what its data holds.
    if (event.type === 'proof.sealed') sealed = event.data.proofId
    events.push(event)
    try {
      verifyWebhook(secret, req.headers, body.toString('utf8').replace('"type"', '"Type"'))
    } catch (error) {
      refused.push(error instanceof WebhookVerificationError)
    }
    res.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
const webhook = await unwrap(client.POST('/v1/webhooks', { body: { url, events: ['proof.sealed'] } }))
secret = webhook.secret ?? ''

// A proofing
const { id } = await unwrap(client.POST('/v1/identities', { body: [{ key: 'CHANNEL', value: 'sample' }] }))
const path = { id }
const refusal = await client.POST('/v1/identities/{id}/attributes/portrait/capture', {
  params: { path },
  body: { Portrait: await openAsBlob('portrait.jpg', { type: 'image/jpeg' }) },
})
const title: string | undefined = refusal.error?.title
const consents: Schemas['ConsentsRequest'] = [{ type: 'PORTRAIT', approved: true }]
await unwrap(client.POST('/v1/identities/{id}/consents', { params: { path }, body: consents }))
const { id: documentId } = await unwrap(
  client.POST('/v1/identities/{id}/id-documents/capture', {
    params: { path },
    body: {
      DocumentFront: await openAsBlob('passport.jpg', { type: 'image/jpeg' }),
      DocumentCaptureDetails: { documentType: 'PASSPORT', jurisdiction: 'UTO' },
    },
  }),
)
const document = await waitForEvidence(client, id, documentId)
const portraitId = await unwrap(
  client.POST('/v1/identities/{id}/attributes/portrait/capture', {
    params: { path },
    body: { Portrait: await openAsBlob('portrait.jpg', { type: 'image/jpeg' }) },
  }),
)
const portrait = await waitForEvidence(client, id, portraitId.id)
const { levelOfAssurance } = await waitForIdentity(client, id, { timeoutMs: 30_000 })
const { response } = await client.GET('/v1/identities/{id}/attributes/portrait/capture', {
  params: { path },
  parseAs: 'stream',
})
const picture = (await response.formData()).get('Portrait')
await writeFile('proof.zip', await sealProof(client, id))

// What goes wrong
let code: ProblemCode | null = null
let field: string | undefined
try {
  await unwrap(
    client.POST('/v1/identities/{id}/contact-details/mobile', { params: { path }, body: { value: '12' } }),
  )
} catch (error) {
  if (!isProblem(error)) throw error
  code = error.code
  field = error.document?.errors[0]?.field
}
const stranger = createClient({ baseUrl, apiKey: 'unknown', userAgent: 'sample/1.0 (en)' })
const isStranger = await waitForIdentity(stranger, id).then(
  () => false,
  (error: unknown) => isProblem(error, 'key_unknown'),
)

// What the compiler refuses
// @ts-expect-error an identity has no such address
void (() => client.GET('/v1/identities/{id}/shoe-size', { params: { path } }))
// @ts-expect-error a consent is of a known type
const unknownConsent: Schemas['ConsentsRequest'] = [{ type: 'X', approved: true }]
void unknownConsent
const submitDocument = '/v1/identities/{id}/id-documents/capture'
// @ts-expect-error a document has a front
void (() => client.POST(submitDocument, { params: { path }, body: {} }))

while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
receiver.close()
receiver.closeAllConnections()
console.log(
  JSON.stringify({
    id,
    title,
    document: document.status,
    portrait: portrait.status,
    levelOfAssurance,
    pictureBytes: picture instanceof Blob ? picture.size : null,
    code,
    field,
    isStranger,
    event: events[0],
    sealed,
    refused,
  }),
)
