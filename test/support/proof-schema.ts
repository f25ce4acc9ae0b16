/** Compares the JSON files of a proof with the JSON Schema that the appliance serves. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describeProof } from '../../server/api/proof-schema.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'proof', ...describeProof() })

/** Returns the deviations of a file: pointer and rule. `path`: relative to the root folder. */
export function faultsOfProofFile(path: string, json: unknown): readonly string[] {
  const validate = ajv.getSchema(`proof#/$defs/${path}`)
  if (!validate) return [`there is no schema for ${path}`]
  if (validate(json)) return []
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) =>
    [instancePath, keyword, JSON.stringify(params)].join(' '),
  )
}
