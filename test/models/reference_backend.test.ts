import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { runReferenceKit } from '../support/reference_kit.ts';
import { LOGITS_TOLERANCE } from '../support/tolerances.ts';

runReferenceKit(async () => createReferenceBackend({ maxStepTokens: 128 }), LOGITS_TOLERANCE.reference);
