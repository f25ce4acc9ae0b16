/** Calls of a relying service, each answer held against the contract. */
import { expect } from 'vitest'
import type { z } from 'zod'
import { CONTRACT, ProblemDocument } from '../../server/api/contract/index.ts'
import type { ContractName, Frozen } from '../../server/api/contract/index.ts'
import type { CallOptions, TestApp } from './app.ts'

export interface ContractClient {
  /** A call that succeeds; its answer. */
  ask<Name extends ContractName>(
    name: Name,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Frozen<z.output<(typeof CONTRACT)[Name]>>>
  /** A call that is refused: its status, the code of its problem and those of its errors. */
  refusal(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; code: string | undefined; errors: readonly string[] }>
}

/** `app`: asked at every call, since a restart brings another one. */
export function contractClient(app: () => TestApp): ContractClient {
  return {
    ask: async (name, method, path, options) => {
      const { status, body } = await app().json(method, path, options)
      expect(status, JSON.stringify(body)).toBe(200)
      return CONTRACT[name].parse(body) as never
    },
    refusal: async (method, path, options) => {
      const { status, body } = await app().json(method, path, options)
      const { type, errors } = ProblemDocument.parse(body)
      return { status, code: type.split(':').at(-1), errors: errors.map((error) => error.code) }
    },
  }
}
