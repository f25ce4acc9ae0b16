/** Small facts about the whole appliance by name. */
import type { Db } from './db.ts'

export interface Meta {
  get(name: string): Buffer | null
  set(name: string, value: Uint8Array): void
  getJson(name: string): unknown
  setJson(name: string, value: unknown): void
}

export function createMeta(db: Db): Meta {
  const select = db.prepare<[string], { value: Buffer }>('SELECT value FROM meta WHERE name = ?')
  const upsert = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const meta: Meta = {
    get: (name) => select.get(name)?.value ?? null,
    set: (name, value) => void upsert.run(name, value),
    getJson: (name) => {
      const value = meta.get(name)
      return value === null ? null : (JSON.parse(value.toString('utf8')) as unknown)
    },
    setJson: (name, value) => {
      meta.set(name, Buffer.from(JSON.stringify(value), 'utf8'))
    },
  }
  return meta
}
