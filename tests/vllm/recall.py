"""How well a real encoder finds the memory that a moment should bring back, over the API that stories use."""

from characterbox.llm.calls.client import Client
from characterbox.llm.embeddings import embedding_request
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.vectors import unpacked_vectors
from characterbox.values import Language
from tests.play.paraphrases.pairs import pairs, recall


async def recall_by(client: Client, endpoint: Endpoint, language: Language) -> float:
    """The share of the pairs of a language whose memory is among the six that an encoder finds nearest."""
    told = pairs(language)
    texts = [text for pair in told for text in (pair.memory, pair.query)]
    completion = await client.complete(endpoint, embedding_request(texts, "r1/ann/action", language), seed=0)
    vectors = dict(zip(texts, unpacked_vectors(completion.text, len(texts)), strict=True))
    return recall(vectors.__getitem__, told)
