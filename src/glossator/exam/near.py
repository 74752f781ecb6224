"""Near misses: questions like the book's own, about terms that it does not have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glossator.exam.question import ExamKind, ExamQuestion
from glossator.model import Lexicon, Vector
from glossator.ports import Embedder
from glossator.question_generation import GeneratedQuestion
from glossator.text.words import content_stems


def near_misses(
    questions: Sequence[GeneratedQuestion], lexicon: Lexicon, embedder: Embedder, most: int
) -> list[ExamQuestion]:
    """About the unknown terms that are nearest in meaning to the book's definitions, or its headings."""
    known = [question for question in questions if question.facts] or questions
    terms = unknown_terms(lexicon)
    if not known or not terms:
        return []
    known_vectors = _vectors(embedder, [next(iter(question.facts), question.about) for question in known])
    cosines = known_vectors @ _vectors(embedder, terms).T
    nearest = sorted(range(len(terms)), key=lambda column: -float(cosines[:, column].max()))[:most]
    return [_miss(terms[column], known[int(cosines[:, column].argmax())]) for column in nearest]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vector:
    return np.stack([embedding.vector for embedding in embedder.embed_passages(texts)])


def _miss(term: str, near: GeneratedQuestion) -> ExamQuestion:
    article = "an" if term[0].lower() in "aeiou" else "a"
    text = f"What is {article} {term}?"
    return ExamQuestion(ExamKind.NEAR, text, is_answerable=False, note=f"{term} for {near.about}")


_PREFIX = 6
"""Letters that words of one family share."""


def unknown_terms(lexicon: Lexicon) -> list[str]:
    """Terms whose first content word does not occur in the book in any form."""
    prefixes = {stem[:_PREFIX] for stem in lexicon.counts}
    return [term for term in TERMS if content_stems(term, lexicon.language)[0][:_PREFIX] not in prefixes]


_SOFTWARE = """
    monad; semaphore; garbage collector; Kubernetes pod; GraphQL resolver; Kafka partition; Redis sentinel;
    Bloom filter; B-tree; trie; red-black tree; quicksort pivot; hash collision; regular expression lookahead;
    Docker volume; Terraform provider; Ansible playbook; Jenkins pipeline; Helm chart; gRPC interceptor;
    WebSocket handshake; OAuth grant; JWT claim; CORS preflight; SQL injection; materialized view;
    stored procedure; MongoDB replica set; Elasticsearch shard; React hook; Vue directive; Angular service;
    Svelte store; Webpack loader; CSS grid; Sass mixin; Django migration; Flask blueprint; Rails concern;
    Spring bean; Hibernate session; Haskell typeclass; Erlang supervisor; Elixir genserver; Clojure atom;
    Kotlin coroutine; Swift optional; Objective-C category; Perl sigil; Fortran common block; COBOL paragraph;
    Prolog predicate; Lisp macro; Smalltalk message; OpenGL shader; Vulkan swapchain; Unreal blueprint;
    blockchain oracle; smart contract; Merkle proof; public key certificate; buffer overflow; phishing kit;
    spinlock; deadlock detector; page fault; interrupt vector; hypervisor; firmware bootloader
"""
_LEARNING = """
    random forest; gradient boosting; support vector machine; naive Bayes classifier; k-means centroid;
    principal component; dropout layer; batch normalization; attention head; word embedding; beam search;
    variational autoencoder; generative adversarial network; diffusion sampler; Boltzmann machine;
    perplexity score; confusion matrix; Gaussian process; hidden Markov model; bandit algorithm
"""
_MACHINES = """
    Kalman filter; PID loop; Lyapunov function; Nyquist plot; stepper motor; servo horn; harmonic drive;
    planetary gearbox; solenoid valve; pneumatic cylinder; hydraulic accumulator; turbocharger; camshaft;
    carburetor; torque converter; heat exchanger; cooling tower; centrifugal pump; ball bearing; leaf spring;
    strain gauge; thermocouple; oscilloscope; operational amplifier; flyback diode; MOSFET driver;
    voltage divider; transformer winding; CAN bus; Modbus register; RS-485 transceiver; lidar odometry;
    ultrasonic rangefinder; quadcopter; hexapod gait; exoskeleton; prosthetic hand; autopilot; sonar beacon
"""
_MATHEMATICS = """
    eigenvalue; Fourier transform; Laplace transform; Taylor series; Riemann sum; Hilbert space;
    Banach fixed point; Markov chain; Poisson distribution; chi-squared test; confidence interval;
    Bayes factor; Jordan form; Galois group; homology group; fiber bundle; tensor field; Fibonacci sequence;
    prime sieve; convex hull; Voronoi diagram; simplex tableau; Lagrange multiplier; minimax theorem
"""
_NATURE = """
    entropy; Carnot cycle; Higgs boson; neutrino; black hole; superconductor; laser cavity; photon counter;
    Doppler shift; Maxwell demon; quantum tunnelling; semiconductor junction; covalent bond; catalyst;
    titration; isotope; polymer chain; electrolysis cell; buffer solution; aldehyde; ribosome; mitochondrion;
    enzyme inhibitor; CRISPR guide; plasmid; chromosome; allele; neuron; synapse; hormone receptor; antibody;
    bacteriophage; photosystem; lichen; plankton bloom; tectonic plate; magma chamber; glacier moraine;
    aquifer; ozone layer; jet stream; cyclone; coral reef; pollinator; mycelium; fossil record
"""
_PEOPLE = """
    hypertension; insulin pump; cardiac stent; dialysis machine; MRI contrast agent; placebo group;
    appendectomy; antihistamine; asthma inhaler; tort; easement; plaintiff; subpoena; copyright fair use;
    patent claim; class action; bail bond; mortgage lien; call option; yield curve; hedge fund; balance sheet;
    amortization schedule; payroll tax; tariff quota; monopoly; price elasticity; central bank reserve;
    sonnet; haiku; metaphor; phoneme; morpheme; subjunctive; cuneiform tablet; fresco; Gothic vault;
    flying buttress; fugue; arpeggio; metronome marking; blues scale; syllogism; categorical imperative;
    cognitive dissonance; placebo effect; kinship system; feudal manor; guild charter; trade union;
    constitutional amendment; proportional representation
"""
_HANDS = """
    sourdough starter; roux; meringue; brine; espresso grinder; cheese rind; wine decanter; loom shuttle;
    knitting gauge; dovetail joint; wood lathe; mortar mix; roof truss; grout; compost heap; grafting knife;
    drip irrigation; crop rotation; beehive frame; saddle girth; sail batten; anchor rode; ski binding;
    climbing carabiner; bicycle derailleur; film emulsion; camera aperture; tripod head; bookbinding press;
    letterpress
"""
TERMS = tuple(
    " ".join(term.split())
    for field in (_SOFTWARE, _LEARNING, _MACHINES, _MATHEMATICS, _NATURE, _PEOPLE, _HANDS)
    for term in field.split(";")
)
