# The command as an image for amd64 and arm64, made of what ./dev release left in build/packages:
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=0.2.0 --tag lode .
#   docker run --rm --volume "$PWD:/data:ro" lode -e pattern log.gz
FROM debian:12-slim
ARG VERSION
ARG TARGETARCH
COPY build/packages/lode_${VERSION}_${TARGETARCH}.deb /tmp/lode.deb
RUN dpkg --install /tmp/lode.deb && rm /tmp/lode.deb && lode --version
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["lode"]
