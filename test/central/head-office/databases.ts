/** The same tests on PGlite always, and on a real PostgreSQL where one can be started. */
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresReason, startPostgres, type TestPostgres } from '../../support/postgres.ts'

/** @param tests gets the address of a new, empty database; undefined for PGlite */
export function onEachDatabase(name: string, tests: (newDatabase: () => string | undefined) => void): void {
  describe(`${name}, on PGlite`, () => tests(() => undefined))
  onPostgres(name, tests)
}

export function onPostgres(name: string, tests: (newDatabase: () => string) => void): void {
  if (postgresReason !== null) process.stderr.write(`skipped: ${postgresReason}\n`)
  describe.skipIf(postgresReason !== null)(`${name}, on PostgreSQL`, () => {
    let server: TestPostgres
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server?.close())
    tests(() => server.createDatabase())
  })
}
