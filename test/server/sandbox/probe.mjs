// What a process can reach, tried one thing after the other: run inside the walls of the vision worker, and outside of them.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const { secretFile, dataDir, modelsDir, port, socketPath, serverPid, ownCode } = JSON.parse(
  process.argv.at(-1) ?? '',
)

const tried = (act) => {
  try {
    act()
    return 'reached'
  } catch (error) {
    return error.code ?? error.message
  }
}
const openToWrite = (path) => closeSync(openSync(path, 'r+'))
const connected = (to) =>
  new Promise((resolve) => {
    const socket = connect(to)
    socket.on('connect', () => (socket.destroy(), resolve('reached')))
    socket.on('error', ({ code }) => resolve(code))
  })
const statusOf = (name) =>
  new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]

process.stdout.write(
  JSON.stringify({
    secret: tried(() => readFileSync(secretFile)),
    dataFolder: tried(() => readdirSync(dataDir)),
    loopback: await connected({ port, host: '127.0.0.1' }),
    unixSocket: await connected({ path: socketPath }),
    memoryOfServer: tried(() => readFileSync(`/proc/${serverPid}/environ`)),
    passwords: tried(() => readFileSync('/etc/passwd')),
    writeModel: tried(() => openToWrite(join(modelsDir, 'model.onnx'))),
    writeCode: tried(() => openToWrite(join(ownCode, 'worker.ts'))),
    shell: tried(() => execFileSync('/bin/sh', ['-c', 'true'])),
    ownCode: tried(() => readFileSync(join(ownCode, 'worker.ts'))),
    processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    filter: statusOf('Seccomp'),
    noNewPrivileges: statusOf('NoNewPrivs'),
    capabilities: statusOf('CapEff'),
    environment: Object.keys(process.env).sort(),
  }),
)
