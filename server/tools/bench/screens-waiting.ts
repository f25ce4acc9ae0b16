/**
 * Keeps proofings waiting for a slow issuing source during `npm run bench:screens`: each types a passport in and waits for the
 * issuer's answer, again and again.
 */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeFileWhole } from '../../files/write-file.ts'
import { RelyingService } from '../demo/client.ts'
import type { Keys } from '../demo/server-process.ts'
import { readSpecimenRecords, startIssuer } from '../simulator/issuer.ts'

export interface SlowIssuer {
  /** Members of config.json. */
  readonly config: Readonly<Record<string, unknown>>
  /** Starts so many proofings at once; returns the function that stops them. */
  keepWaiting(url: string, keys: Keys, proofings: number): () => Promise<WaitedProofings>
  close(): Promise<void>
}

export interface WaitedProofings {
  readonly answered: number
  /** Seconds from a submission to its verdict; the source's own time is 3. */
  readonly p95Seconds: number
}

/** Answers after three seconds. */
export async function startSlowIssuer(): Promise<SlowIssuer> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-issuer-'))
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKeyFile = join(folder, 'issuer.key')
  writeFileWhole(signingKeyFile, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const records = readSpecimenRecords()
  const issuer = await startIssuer({ port: 0, publicKey, records, fault: 'slow' })
  const [{ documentType, issuingCountry, values }] = records
  const source = {
    id: 'slow',
    name: 'Slow issuer',
    url: issuer.url,
    allowHttp: true,
    timeoutMs: 20_000,
    signingKeyFile,
    keyId: 'bench',
    covers: [{ documentTypes: [documentType], countries: [issuingCountry] }],
    sends: ['documentNumber', 'surname', 'dateOfBirth'],
  }
  const value = (text = '') => ({ value: text })
  const document = {
    idDocumentType: documentType,
    idDocumentNumber: values.documentNumber,
    issuingCountry,
    expiryDate: values.expiryDate,
    personalAttributes: {
      surname: value(values.surname),
      givenNames: [value(values.givenName)],
      dateOfBirth: value(values.dateOfBirth),
    },
  }
  return {
    config: {
      tenant: {
        id: 'bench',
        name: 'Bench',
        mode: 'test',
        policy: 'default',
        features: { issuerVerification: true },
      },
      connectors: { issuers: [source] },
    },
    keepWaiting(url, keys, proofings) {
      const service = new RelyingService(url, keys)
      const seconds: number[] = []
      let isOver = false
      const prove = async (): Promise<void> => {
        while (!isOver) {
          const { id } = await service.createIdentity([])
          await service.consent(id, ['GIV'])
          const from = performance.now()
          await service.json('POST', `/v1/identities/${id}/id-documents`, JSON.stringify(document))
          await service.waitForIdentity(id)
          seconds.push((performance.now() - from) / 1000)
        }
      }
      const all = Array.from({ length: proofings }, prove)
      return async () => {
        isOver = true
        await Promise.all(all)
        seconds.sort((a, b) => a - b)
        const p95 = seconds[Math.ceil(seconds.length * 0.95) - 1] ?? Infinity
        return { answered: seconds.length, p95Seconds: Math.round(p95 * 10) / 10 }
      }
    },
    close: async () => {
      await issuer.close()
      rmSync(folder, { recursive: true })
    },
  }
}
