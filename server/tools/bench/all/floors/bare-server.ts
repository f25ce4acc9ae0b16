/** The least that answers a read by id: Express over better-sqlite3, without keys, limits, checks or log. Prints its address. */
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import express from 'express'

const [path = ''] = process.argv.slice(2)
const db = new Database(path, { readonly: true })
const select = db.prepare<[string], { body: string }>('SELECT body FROM identities WHERE id = ?')
const app = express()
app.get('/v1/identities/:id', (request, response) => {
  const row = select.get(request.params.id)
  if (row) response.json(JSON.parse(row.body))
  else response.status(404).end()
})
const server = createServer(app).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
