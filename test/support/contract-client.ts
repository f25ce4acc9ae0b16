/** Calls of a relying service; each answer is compared with the contract. */
import { expect } from 'vitest'
import type { z } from 'zod'
import { CONTRACT, ProblemDocument } from '../../server/api/contract/index.ts'
import type { ContractName, Frozen } from '../../server/api/contract/index.ts'
import type { CallOptions, TestApp } from './app.ts'

export type Answer<Name extends ContractName> = Frozen<z.output<(typeof CONTRACT)[Name]>>

interface Refusal {
  readonly status: number
  readonly code: string | undefined
  readonly errors: readonly { readonly code: string; readonly field?: string }[]
}

export interface ContractClient {
  /** Makes a call that succeeds, and returns its answer. */
  ask<Name extends ContractName>(
    name: Name,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Answer<Name>>
  /** Makes a call that is refused, and returns its status, problem code and errors. */
  refusal(method: string, path: string, options?: CallOptions): Promise<Refusal>
}

/** `app` is called each time, because a restart creates another one. */
export function contractClient(app: () => TestApp): ContractClient {
  return {
    ask: async (name, method, path, options) => {
      const { status, body } = await app().json(method, path, options)
      expect(status, JSON.stringify(body)).toBe(200)
      return CONTRACT[name].parse(body) as never
    },
    refusal: async (method, path, options) => {
      const { status, body } = await app().json(method, path, options)
      const problem = ProblemDocument.parse(body)
      const errors = problem.errors.map(({ code, field }) => ({ code, ...(field ? { field } : {}) }))
      return { status, code: problem.type.split(':').at(-1), errors }
    },
  }
}
