/** Options of the engines that a tenant mounts in place of ours. */
import { z } from 'zod'
import { ALLOW_HTTP, demandHttpsFor, HTTP_ADDRESS } from '../outgoing/service-address.ts'

const Mounted = z.strictObject({
  folder: z
    .string()
    .min(1)
    .describe('Folder with engine.json and the ONNX file, relative to the data folder'),
  service: z
    .strictObject({
      url: HTTP_ADDRESS,
      allowHttp: ALLOW_HTTP,
      tokenFile: z.string().optional().describe('File with the bearer token'),
      caFile: z
        .string()
        .optional()
        .describe("PEM file of the service's certificate or its authority, if it is not a public one"),
      timeoutMs: z
        .int()
        .min(100)
        .max(10_000)
        .default(5_000)
        .describe('Time limit of a call; the comparison of five pictures makes up to sixteen'),
    })
    .superRefine(demandHttpsFor('url'))
    .optional()
    .describe('The HTTP service of the engine, if engine.json says http'),
})

export const EnginesConfig = z
  .strictObject({
    faceMatching: Mounted.optional().describe('Engine that compares faces'),
    attackDetection: Mounted.optional().describe(
      'Engine that detects presentation attacks in single pictures',
    ),
  })
  .prefault({})
  .describe('Engines in place of ours (server/vision/engines)')
