/** Which files the kiosk's page may send for a document and for a face. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountUploads, UploadBudget } from '../../../server/http/upload-budget.ts'
import { fileBody, readDocumentFile, imageBody, readImage } from '../../../server/kiosk/bodies.ts'

const BUDGET = { serverBytes: 1_000_000, applicationBytes: 1_000_000, idleMs: 10_000 }
const app = express()
app.use(accountUploads(new UploadBudget(BUDGET), () => null))
app.post(
  '/document',
  fileBody,
  (req, res) => void res.json({ bytes: readDocumentFile(req).bytes.byteLength }),
)
app.post('/face', imageBody, (req, res) => void res.json({ bytes: readImage(req).bytes.byteLength }))
app.use(((_error, _req, res, _next) => void res.status(400).end()) satisfies express.ErrorRequestHandler)
const server = app.listen(0, '127.0.0.1')
let url: string
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

async function send(path: string, type: string): Promise<number> {
  const headers = { 'content-type': type }
  return (await fetch(`${url}${path}`, { method: 'POST', headers, body: Buffer.from('bytes') })).status
}

test.each([
  ['image/jpeg', 200, 200],
  ['image/png', 200, 200],
  ['image/webp', 200, 200],
  ['image/heic', 200, 400],
  ['image/heif', 200, 400],
  ['image/tiff', 200, 400],
  ['application/pdf', 200, 400],
  ['text/html', 400, 400],
])('%s: %i as a document, %i as a face', async (type, asDocument, asFace) => {
  expect([await send('/document', type), await send('/face', type)]).toEqual([asDocument, asFace])
})
