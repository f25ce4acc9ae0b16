import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { BUNDLED_PARTS } from '../../../../server/tools/package/bundled-parts.ts'
import { readPackages, writeCopyright, writeSbom } from '../../../../server/tools/package/notices.ts'
import { readManifest } from '../../../../server/vision/manifest.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const packages = readPackages(ROOT, join(ROOT, 'node_modules'))
const product = {
  version: '0.1.0+git1.0123456789ab',
  architecture: 'amd64',
  createdAt: '2026-11-30T10:00:00Z',
}

test('the licence notices name every npm package, model and bundled part, with a licence each', () => {
  const text = writeCopyright(packages, 'Apache License')
  for (const { name, version } of packages) expect(text).toContain(`${name} ${version}\n`)
  for (const { id } of readManifest().models) expect(text).toContain(`model ${id} `)
  for (const { name } of BUNDLED_PARTS) expect(text).toContain(`\n${name} (in `)
  expect(packages.filter(({ licence }) => licence === 'NOASSERTION')).toEqual([])
  expect(text).toContain('Copyright Node.js contributors')
})

test('each bundled part is inside a package or a file that exists', () => {
  const isThere = ({ inside }: { inside: string }) =>
    existsSync(join(ROOT, inside)) || existsSync(join(ROOT, 'node_modules', inside))
  expect(BUNDLED_PARTS.filter((part) => !isThere(part))).toEqual([])
})

const SCHEMAS = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
const readSchema = (name: string) =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object

test('the SBOM is valid by the JSON schema of its version of CycloneDX', () => {
  const sbom = JSON.parse(writeSbom(packages, product)) as { specVersion: string; components: object[] }
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  // Formats of members that our SBOM does not have.
  for (const format of ['idn-email', 'iri-reference']) ajv.addFormat(format, true)
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  const isValid = ajv.compile(readSchema(`bom-${sbom.specVersion}`))
  isValid(sbom)
  expect(isValid.errors ?? []).toEqual([])
  const [first, ...rest] = sbom.components
  expect(
    isValid({ ...sbom, components: [{ ...first, licenses: [{ license: { id: 'Ours' } }] }, ...rest] }),
  ).toBe(false)
})

test('the SBOM names each component once, Node and the models included, and is the same for the same content', () => {
  const sbom = JSON.parse(writeSbom(packages, product)) as {
    components: { 'bom-ref': string; type: string; licenses: unknown[] }[]
  }
  const refs = sbom.components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(refs.some((ref) => ref.startsWith('pkg:npm/node-linux-'))).toBe(true)
  expect(sbom.components.filter(({ type }) => type === 'machine-learning-model')).toHaveLength(
    readManifest().models.length,
  )
  expect(sbom.components.filter(({ licenses }) => licenses.length === 0)).toEqual([])
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: 'pkg:deb/counterproof@0.1.0%2Bgit1.0123456789ab?arch=amd64' } },
  })
  expect(writeSbom(packages, product)).toBe(writeSbom(packages, product))
})
