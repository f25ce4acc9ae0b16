/** Device test: the real Chromium of this machine, headless, with its own fake camera. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { chromiumArguments, createProfile, findChromium } from '../../../server/launch/chromium.ts'

const chromium = findChromium(process.env)
const PAGE = `<!doctype html><script>
  const ask = (wish) => navigator.mediaDevices.getUserMedia(wish).then(() => 'allowed', (error) => error.name)
  ask({ video: true }).then(async (video) => {
    const audio = await ask({ audio: true })
    await fetch('/answer?' + new URLSearchParams({ video, audio }))
  })
</script>`

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/**
 * Returns the permissions of a page on a new port with a Chromium profile for `allowed` (default: that page).
 */
async function askFor(allowed?: string): Promise<{ video: string | null; audio: string | null }> {
  const answer = Promise.withResolvers<{ video: string | null; audio: string | null }>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/answer')
      answer.resolve({ video: searchParams.get('video'), audio: searchParams.get('audio') })
    response.setHeader('content-type', 'text/html').end(pathname === '/kiosk/' ? PAGE : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kiosk/`
  const profile = await createProfile(allowed ?? url, url)
  open.push(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }))
  const args = chromiumArguments(url, profile, { width: 800, height: 600 }, process.getuid?.() === 0)
  const child = spawn(chromium!, ['--headless=new', '--use-fake-device-for-media-stream', ...args], {
    stdio: 'ignore',
  })
  open.push(() => stop(child))
  return answer.promise
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

describe.skipIf(chromium === null)('Chromium as we start it', () => {
  test('gives our page the camera without a question, and not the microphone', async () => {
    expect(await askFor()).toEqual({ video: 'allowed', audio: 'NotAllowedError' })
  })

  test('gives a page of another origin nothing', async () => {
    expect(await askFor('http://127.0.0.1:9/')).toEqual({
      video: 'NotAllowedError',
      audio: 'NotAllowedError',
    })
  })
})
