/** The socket over which the appliance hands out the secrets of the kiosk's window. Real sockets in the file system. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  requestSecret,
  openWindowSocket,
  withSecret,
  type WindowSocket,
} from '../../../server/launch/window-socket.ts'

let folder: string
let socket: WindowSocket | undefined
const path = () => join(folder, 'kiosk.sock')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'window-socket-'))
})
afterEach(async () => {
  await socket?.close()
  socket = undefined
  rmSync(folder, { recursive: true, force: true })
})

test('each caller gets a fresh secret', async () => {
  let given = 0
  socket = await openWindowSocket(path(), () => `secret-${(given += 1)}`)
  expect(await requestSecret(path())).toBe('secret-1')
  expect(await requestSecret(path())).toBe('secret-2')
})

test('where the kiosk needs no secret, there is none', async () => {
  socket = await openWindowSocket(path(), () => null)
  expect(await requestSecret(path())).toBeNull()
  expect(withSecret('http://127.0.0.1:8717/kiosk/', null)).toBe('http://127.0.0.1:8717/kiosk/')
})

test('its owner alone may ask, unless the folder gives it to a group', async () => {
  socket = await openWindowSocket(path(), () => 'secret')
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  await socket.close()
  chmodSync(folder, 0o2750)
  socket = await openWindowSocket(path(), () => 'secret')
  expect(statSync(path()).mode & 0o777).toBe(0o660)
})

test('a socket that a killed server left behind is replaced; a folder that is missing is refused', async () => {
  const listen = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', listen, path()])
  expect(statSync(path()).isSocket()).toBe(true)
  socket = await openWindowSocket(path(), () => 'secret')
  expect(await requestSecret(path())).toBe('secret')
  await expect(openWindowSocket(join(folder, 'none', 'kiosk.sock'), () => null)).rejects.toMatchObject({
    code: 'configuration_invalid',
  })
})

test('a file that is no socket is not replaced', async () => {
  writeFileSync(path(), 'of others')
  await expect(openWindowSocket(path(), () => 'secret')).rejects.toMatchObject({
    code: 'configuration_invalid',
  })
  expect(statSync(path()).size).toBe(9)
})

test('without a server on the socket the window gets no secret', async () => {
  await expect(requestSecret(path())).rejects.toMatchObject({ code: 'ENOENT' })
})
