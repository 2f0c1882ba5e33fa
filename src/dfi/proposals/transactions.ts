import { MAX_MONEY } from '../../primitives/amount.js';
import { struct, u8 } from '../../primitives/codec.js';
import { formatHash, type Hash256, hash256 } from '../../primitives/hash.js';
import { isFeatureOn } from '../attributes/features.js';
import { hasAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx, type DefinedTx, type TxContext } from '../context/custom-tx.js';
import { multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { isActiveMasternode, masternodes, ownerScript } from '../masternodes/columns.js';
import { isEmergency, ProposalStatus, type ProposalTerms, ProposalType, proposals, proposalTerms, proposalVotes, Vote } from './columns.js';
import { openProposal } from './cycles.js';
import { creationFee, feeBurnShare, maxCycles } from './rules.js';

/** Creates a community fund proposal. @see docs/protocol/defi.md 5.3 */
export const createCfp = creation('z', 'CreateCfp');

/** Creates a vote of confidence. */
export const createVoc = creation('E', 'CreateVoc');

/** Defines a type of proposal creation. The rules depend on the type in the message, not on the type byte. */
function creation(type: string, name: string): DefinedTx<ProposalTerms> {
  return customTx<ProposalTerms>({
    type,
    name,
    since: 'grandCentral',
    codec: struct<ProposalTerms>(proposalTerms),
    feeBurn: (value, { view, params }) => multiplyAmounts(value, feeBurnShare(view, params)),
    apply(context, terms) {
      const { view, tx, height, params } = context;
      requireGovernance(context);
      requireRightKind(context, terms);
      const [first] = tx.vout;
      const fee = first?.value ?? 0n;
      if (fee !== creationFee(view, terms, params) || first?.tokenId !== 0) {
        throw new TxRejected('malformed tx vouts (wrong creation fee)');
      }
      if (terms.amount >= MAX_MONEY) throw new TxRejected('proposal wants to gain all money');
      requireTexts(terms);
      requireCycles(context, terms);
      openProposal(view, { id: tx.txid, terms, fee, height }, params);
    },
  });
}

function requireGovernance({ view }: TxContext): void {
  if (!isFeatureOn(view, 'gov')) throw new TxRejected('Cannot create tx, on-chain governance is not enabled');
}

function requireRightKind(context: TxContext, terms: ProposalTerms): void {
  switch (terms.type) {
    case ProposalType.communityFund:
      if (!hasAuth(context, terms.address)) throw new TxRejected('tx must have at least one input from proposal account');
      return;
    case ProposalType.confidence:
      if (terms.amount !== 0n) throw new TxRejected('proposal amount in vote of confidence');
      if (terms.address.length > 0) throw new TxRejected('vote of confidence address should be empty');
      if (!isEmergency(terms) && terms.cycles !== 1) throw new TxRejected('proposal cycles should be 1');
      return;
    default:
      throw new TxRejected('unsupported proposal type');
  }
}

const MAX_TITLE = 128;
const MAX_CONTEXT = 512;

function requireTexts({ title, context, contextHash }: ProposalTerms): void {
  if (title === '') throw new TxRejected('proposal title must not be empty');
  if (title.length > MAX_TITLE) throw new TxRejected(`proposal title cannot be more than ${MAX_TITLE} bytes`);
  if (context === '') throw new TxRejected('proposal context must not be empty');
  if (context.length > MAX_CONTEXT) throw new TxRejected(`proposal context cannot be more than ${MAX_CONTEXT} bytes`);
  if (contextHash.length > MAX_CONTEXT) throw new TxRejected(`proposal context hash cannot be more than ${MAX_CONTEXT} bytes`);
}

function requireCycles({ view }: TxContext, terms: ProposalTerms): void {
  const most = maxCycles(view);
  if (terms.cycles < 1 || terms.cycles > most) throw new TxRejected(`proposal cycles can be between 1 and ${most}`);
  if (!isEmergency(terms)) return;
  if (terms.cycles !== 1) throw new TxRejected('emergency proposal cycles must be 1');
  if (terms.type !== ProposalType.confidence) throw new TxRejected('only vote of confidence allowed with emergency option');
}

/** A vote: one of {@link Vote}, though the codec accepts any byte. */
export interface VoteBody {
  readonly proposalId: Hash256;
  readonly masternodeId: Hash256;
  readonly vote: number;
}

/** Casts or replaces a masternode's vote in the current cycle. @see docs/protocol/defi.md 5.4 */
export const vote = customTx<VoteBody>({
  type: 'O',
  name: 'Vote',
  since: 'grandCentral',
  codec: struct<VoteBody>({ proposalId: hash256, masternodeId: hash256, vote: u8 }),
  apply(context, { proposalId, masternodeId, vote }) {
    requireGovernance(context);
    const proposal = context.view.get(proposals, proposalId);
    if (!proposal) throw new TxRejected(`proposal <${formatHash(proposalId)}> does not exist`);
    if (proposal.status !== ProposalStatus.voting) {
      throw new TxRejected(`proposal <${formatHash(proposalId)}> is not in voting period`);
    }
    requireVoter(context, masternodeId);
    if (!Object.values<number>(Vote).includes(vote)) throw new TxRejected('unsupported vote type');
    context.view.put(proposalVotes, { proposalId, cycle: proposal.cycle, masternodeId }, vote);
  },
});

function requireVoter(context: TxContext, masternodeId: Hash256): void {
  const { view, height, params } = context;
  const node = view.get(masternodes, masternodeId);
  const name = `masternode <${formatHash(masternodeId)}>`;
  if (!node) throw new TxRejected(`${name} does not exist`);
  if (!hasAuth(context, ownerScript(node))) throw new TxRejected('tx must have at least one input from the owner');
  if (!isActiveMasternode(view, node, height, params)) throw new TxRejected(`${name} is not active`);
  if (node.mintedBlocks < 1) throw new TxRejected(`${name} does not mine at least one block`);
}

/** Custom transactions on proposals. */
export const proposalTypes: readonly AnyCustomTx[] = [createCfp, createVoc, vote];
