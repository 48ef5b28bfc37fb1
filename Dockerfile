# The service alone. Neo4j runs in a container of its own: see docker-compose.yml.

# One exact version for all stages. A tag can be published anew; to hold on to the very same image,
# give its digest, which `docker buildx imagetools inspect python:3.12.12-slim-bookworm` prints:
#   docker build --build-arg PYTHON_IMAGE=python:3.12.12-slim-bookworm@sha256:... .
ARG PYTHON_IMAGE=python:3.12.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS wheel
WORKDIR /src
COPY requirements-build.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements-build.lock
COPY . .
# The weights of the default model are made of the official ones, which are downloaded here.
RUN python packages/graphmem-weights/prepare.py && \
    pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /dist \
    ./packages/graphmem-weights .

FROM ${PYTHON_IMAGE} AS build
WORKDIR /build
# Without a pip of its own, so that none is in the last image's environment. The lock file names all
# that is needed, so pip takes it as it is.
RUN python -m venv --without-pip /opt/graphmem
COPY requirements.lock ./
RUN pip --python /opt/graphmem/bin/python install --no-cache-dir --require-hashes \
    --no-deps --only-binary :all: -r requirements.lock
COPY --from=wheel /dist /dist
# pip compiles what it installs, so the first start is quick on a read-only file system too.
RUN pip --python /opt/graphmem/bin/python install --no-cache-dir --no-deps --no-index /dist/*.whl

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent \
    --shell /usr/sbin/nologin graphmem && \
    mkdir -m 700 /var/cache/graphmem && chown 10001:10001 /var/cache/graphmem
COPY --from=build /opt/graphmem /opt/graphmem
# A container's port can be reached from outside of it, so keys are asked for.
ENV PATH=/opt/graphmem/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    GRAPHMEM_AUTH=keys
USER 10001:10001
WORKDIR /
EXPOSE 8321
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
    CMD ["python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8321, timeout=4); c.request('GET', '/livez'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["graphmem"]
CMD ["serve", "--host", "0.0.0.0"]
