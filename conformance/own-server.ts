/**
 * Starts a Counterproof of this repository as its own process in a temporary folder, without importing it.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Keys, Target } from './kit.ts'
import { PROVIDER_CLIENT, receiveTextMessages, startProvider } from './surroundings.ts'

const RUN = join(import.meta.dirname, '..', 'server', 'run.mjs')
/** A first start builds models and screens. */
const START_TIMEOUT_MS = 180_000
const IDP = 'kit'
/** Far above what the kit sends; the limit on passcodes keeps its default, and is tested. */
const UNHINDERED_PER_MINUTE = 1_000_000
/** Short enough to wait for, and long enough to read documents and ask for adjudication on a busy machine. */
const LIFETIME_SECONDS = 90
/** Address for the applicant after a login at the provider; no server listens there. */
export const GO_ON_AT = 'http://127.0.0.1:9/welcome'

export interface OwnServer {
  readonly target: Target
  stop(): Promise<void>
}

export async function startOwnServer(): Promise<OwnServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'))
  const [messages, provider] = [await receiveTextMessages(), await startProvider()]
  const config = {
    rateLimits: {
      relyingServicePerMinute: UNHINDERED_PER_MINUTE,
      userAgentPerMinute: UNHINDERED_PER_MINUTE,
    },
    tenant: {
      id: 'conformance',
      name: 'Conformance kit',
      mode: 'test',
      policy: 'default',
      features: { pauseResume: true },
    },
    lifetimes: { transactionHours: LIFETIME_SECONDS / 3600 },
    connectors: {
      // Both run on this machine.
      sms: { url: messages.url, allowHttp: true },
      oidc: {
        allowHttp: true,
        providers: [
          {
            id: IDP,
            issuer: provider.issuer,
            clientId: PROVIDER_CLIENT,
            allowedPostAuthRedirects: [GO_ON_AT],
          },
        ],
      },
    },
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  const close = (): void => {
    messages.close()
    provider.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const server = await startServer(dataDir)
    const keys = await createKeys(dataDir, 'conformance')
    const otherKeys = await createKeys(dataDir, 'another')
    return {
      target: {
        url: server.url,
        keys,
        otherKeys,
        own: { passcodeFor: messages.passcodeFor },
        idpIdentifier: IDP,
      },
      stop: async () => {
        await server.stop()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

async function startServer(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [RUN, 'start', '--data', dataDir, '--port', '0', '--no-window'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-4000)
  })
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the server ${why}\n${log}`))
    const late = setTimeout(() => {
      child.kill('SIGTERM')
      fail('did not start in time')
    }, START_TIMEOUT_MS)
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1]
      if (found === undefined) return
      clearTimeout(late)
      resolve(found)
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      fail(`ended with code ${code}`)
    })
  })
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function createKeys(dataDir: string, application: string): Promise<Keys> {
  const args = [RUN, 'keys', 'create', '--application', application, '--data', dataDir, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const pair = JSON.parse(stdout) as { relyingServiceKey: string; userAgentKey: string }
  return { backEnd: pair.relyingServiceKey, userAgent: pair.userAgentKey }
}
